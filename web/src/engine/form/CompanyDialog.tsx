import { Button, Flex, Input, Modal, Typography } from 'antd';
import { useState } from 'react';
import { api } from '../../lib/api';
import { reportError } from '../../lib/errors';
import { useRestoreFocus } from '../../lib/useRestoreFocus';
import type { Filling, Screen } from '../types';
import type { FillResult } from './fillForm';

interface CompanyDialogProps {
  screen: Screen;
  filling: Filling;
  /** Initial search text. */
  initialKeyword: string;
  onChoose: (filled: FillResult) => void;
  onClose: () => void;
}

/** Looks companies up by name or code; the chosen one fills in the form. */
export function CompanyDialog({ screen, filling, initialKeyword: words, onChoose, onClose }: CompanyDialogProps) {
  useRestoreFocus();
  const [keyword, setKeyword] = useState(words);
  const [found, setFound] = useState<FillResult[] | null>(null);
  const [searching, setSearching] = useState(false);
  const search = async () => {
    if (keyword.trim().length < 2) return;
    setSearching(true);
    try {
      setFound(await api.get<FillResult[]>(`${screen.api}/${filling.name}`, { keyword: keyword.trim() }));
    } catch (error) {
      reportError(error);
    } finally {
      setSearching(false);
    }
  };
  return (
    <Modal open title={filling.label} width={720} footer={null} onCancel={onClose}>
      <Flex vertical gap={12}>
        <Input.Search
          autoFocus
          aria-label="企业名称或信用代码"
          placeholder="企业名称的一部分（至少两个字），或信用代码的前几位"
          enterButton="查询"
          maxLength={100}
          value={keyword}
          loading={searching}
          onChange={(event) => setKeyword(event.target.value)}
          onSearch={() => void search()}
        />
        {found?.length === 0 && <Typography.Text type="secondary">没有找到，请换一个说法</Typography.Text>}
        {found?.map((one) => (
          <Flex key={foundText(one, 'code') + foundText(one, 'name')} align="center" gap={12}>
            <div style={{ flex: 1, minWidth: 0 }}>
              <div>{foundText(one, 'name')}</div>
              {one.found
                .filter(({ name }) => name !== 'name')
                .map((item) => (
                  <Typography.Text
                    key={item.name}
                    type={item.doubt ? 'warning' : 'secondary'}
                    style={{ marginRight: 12 }}
                  >
                    {item.label} {item.value}
                    {item.doubt && `（${item.doubt}）`}
                  </Typography.Text>
                ))}
            </div>
            <Button aria-label={`选择${foundText(one, 'name')}`} onClick={() => onChoose(one)}>
              选择
            </Button>
          </Flex>
        ))}
      </Flex>
    </Modal>
  );
}

function foundText(one: FillResult, name: string): string {
  return one.found.find((item) => item.name === name)?.value ?? '';
}
