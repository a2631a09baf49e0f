/** 主题: grey or normal. */
import { BgColorsOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useState } from 'react';
import { applyTheme, storedTheme } from '../theme';

export function ThemeToggle() {
  const [theme, setTheme] = useState(storedTheme);
  const toggle = () => {
    const next = theme === 'grey' ? 'normal' : 'grey';
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Tooltip title={theme === 'grey' ? '切换为标准主题' : '切换为灰色主题'}>
      <Button
        type="text"
        size="middle"
        icon={<BgColorsOutlined />}
        aria-label="灰色主题"
        aria-pressed={theme === 'grey'}
        onClick={toggle}
      />
    </Tooltip>
  );
}
