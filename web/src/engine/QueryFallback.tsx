import { Button, Result } from 'antd';
import { isCancelled } from '../lib/errors';
import { RefetchWhenShown } from './RefetchWhenShown';
import { ScreenLoading } from './ScreenLoading';

interface PendingQuery {
  data: unknown;
  error: Error | null;
  refetch: () => unknown;
}

/** Stands in for what has not been read yet; says why where it could not be, and asks again on demand. */
export function QueryFallback({ title, queries: of }: { title: string; queries: PendingQuery[] }) {
  const failed = of.filter(({ data, error }) => data === undefined && error !== null && !isCancelled(error));
  if (failed[0]) {
    const again = () => failed.forEach(({ refetch }) => void refetch());
    return (
      <Result
        status="warning"
        title={title}
        subTitle={failed[0].error?.message}
        extra={<Button onClick={again}>重试</Button>}
      />
    );
  }
  return (
    <>
      {of.map((read, index) => (
        <RefetchWhenShown key={index} query={read} />
      ))}
      <ScreenLoading />
    </>
  );
}
