import { Alert } from 'antd';

/** Tells that a list of open rows goes on. */
export function TruncationNotice({ count }: { count: number }) {
  return (
    <Alert
      type="warning"
      showIcon
      banner
      title={`单据较多，只列出最早的 ${count.toLocaleString('zh-CN')} 条；处理这些后再选择其余的`}
    />
  );
}
