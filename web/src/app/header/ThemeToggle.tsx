/** 主题: grey or normal. */
import { BgColorsOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useTheme } from '../useTheme';

export function ThemeToggle() {
  const { grey, offer, toggle } = useTheme();
  return (
    <Tooltip title={offer}>
      <Button
        type="text"
        size="middle"
        icon={<BgColorsOutlined />}
        aria-label="灰色主题"
        aria-pressed={grey}
        onClick={toggle}
      />
    </Tooltip>
  );
}
