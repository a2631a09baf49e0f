/** 404: a path that matches no screen. */
import { Button, Result } from 'antd';
import { Link } from 'react-router';

export function NotFound({ route }: { route: string }) {
  return (
    <Result
      status="404"
      title="页面不存在"
      subTitle={`没有找到 ${route}，请检查地址，或从左侧菜单进入。`}
      extra={
        <Link to="/home">
          <Button type="primary">返回主页</Button>
        </Link>
      }
    />
  );
}
