/** The theme that is on, and what turns it into the other one. */
import { useState } from 'react';
import { applyTheme, storedTheme } from './theme';

export function useTheme() {
  const [theme, setTheme] = useState(storedTheme);
  const grey = theme === 'grey';
  return {
    grey,
    offer: grey ? '切换为标准主题' : '切换为灰色主题',
    toggle: () => {
      const next = grey ? 'normal' : 'grey';
      applyTheme(next);
      setTheme(next);
    },
  };
}
