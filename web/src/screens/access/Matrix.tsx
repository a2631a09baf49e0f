/** Searchable matrix of checkboxes: the parts on the left, the chosen one on the right. */
import { SearchOutlined } from '@ant-design/icons';
import { Checkbox, Flex, Input } from 'antd';
import type { ReactNode } from 'react';
import styles from './access.module.css';

interface Props {
  /** Name of what is searched, say 界面或操作. */
  what: string;
  words: string;
  onWords: (words: string) => void;
  only: { label: string; on: boolean; onChange: (on: boolean) => void };
  note: ReactNode;
  /** Name of a part. */
  part: string;
  parts: ReactNode;
  children: ReactNode;
}

export function Matrix({ what, words, onWords, only, note, part, parts, children }: Props) {
  return (
    <>
      <Flex gap={8} align="center" style={{ marginBottom: 8 }}>
        <Input
          allowClear
          prefix={<SearchOutlined />}
          placeholder={`查找${what}`}
          aria-label={`查找${what}`}
          style={{ width: 240 }}
          value={words}
          onChange={(event) => onWords(event.target.value)}
        />
        <Checkbox checked={only.on} onChange={(event) => only.onChange(event.target.checked)}>
          {only.label}
        </Checkbox>
        <span className={styles.space} />
        <span className={styles.muted}>{note}</span>
      </Flex>
      <div className={styles.matrix}>
        <nav className={styles.modules} aria-label={part}>
          {parts}
        </nav>
        <div className={styles.rows}>{children}</div>
      </div>
    </>
  );
}
