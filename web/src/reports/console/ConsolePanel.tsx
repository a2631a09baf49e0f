/** A card of the console: its height is reserved while loading, and missing data is described. */
import type { UseQueryResult } from '@tanstack/react-query';
import { Button, Card, Empty, Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { usePageActive } from '@/lib/tabs';
import styles from './console.module.css';

interface ConsolePanelProps<T> {
  title: ReactNode;
  extra?: ReactNode;
  query: UseQueryResult<T>;
  /** Height reserved for the content, so that nothing jumps. */
  height: number;
  isEmpty?: (data: T) => boolean;
  /** Text shown if there is no data. */
  empty?: string;
  className?: string;
  children: (data: T) => ReactNode;
}

export function ConsolePanel<T>({
  title,
  extra,
  query,
  height,
  isEmpty,
  empty = '暂无数据',
  className,
  children,
}: ConsolePanelProps<T>) {
  return (
    <Card size="small" title={title} extra={extra} className={className}>
      <div style={{ minHeight: height }} aria-busy={query.isPending}>
        <PanelBody query={query} isEmpty={isEmpty} empty={empty}>
          {children}
        </PanelBody>
      </div>
    </Card>
  );
}

type BodyProps<T> = Pick<ConsolePanelProps<T>, 'query' | 'isEmpty' | 'empty' | 'children'>;

function PanelBody<T>({ query, isEmpty, empty, children }: BodyProps<T>) {
  const { data, error, refetch } = query;
  const seen = usePageActive();
  if (data !== undefined) {
    if (isEmpty?.(data))
      return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={empty} className={styles.empty} />;
    return children(data);
  }
  // What moves unseen, behind another tab, keeps the browser drawing all the same.
  if (!error) return <Skeleton active={seen} title={false} paragraph={{ rows: 5 }} />;
  return (
    <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={error.message} className={styles.empty}>
      <Button size="small" onClick={() => void refetch()}>
        重试
      </Button>
    </Empty>
  );
}
