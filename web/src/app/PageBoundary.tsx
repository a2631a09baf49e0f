/** Keeps one page's failure from taking the shell with it. */
import { Button, Result } from 'antd';
import { Component, Suspense, type ReactNode } from 'react';
import { ScreenLoading } from '@/engine/ScreenLoading';

interface Props {
  children: ReactNode;
}

export class PageBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (this.state.failed) {
      return (
        <Result
          status="warning"
          title="页面出错了"
          subTitle="可能是系统刚刚升级。刷新后重试；已录入的草稿会保留。"
          extra={
            <Button type="primary" onClick={() => window.location.reload()}>
              刷新页面
            </Button>
          }
        />
      );
    }
    return <Suspense fallback={<ScreenLoading />}>{this.props.children}</Suspense>;
  }
}
