import { Flex, Spin } from 'antd';

/** Shown before a screen's own chunk is there, so that its place must not depend on that chunk's style. */
export function ScreenLoading() {
  return (
    <Flex justify="center" align="center" style={{ height: '100%', minHeight: 240 }}>
      <Spin />
    </Flex>
  );
}
