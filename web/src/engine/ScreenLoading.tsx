import { Spin } from 'antd';

export function ScreenLoading() {
  return (
    <div className="screen-loading">
      <Spin />
    </div>
  );
}
