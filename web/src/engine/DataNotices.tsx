/** 数据提示: notices about figures that are not current, or may still change. */
import { Alert } from 'antd';

export function DataNotices({ texts = [], className }: { texts?: string[]; className?: string }) {
  return texts.map((text) => <Alert key={text} type="warning" showIcon banner className={className} title={text} />);
}
