/** The present theme, and the function that toggles it. */
import { useState } from 'react';
import { applyTheme, readStoredTheme } from './theme';

export function useTheme() {
  const [theme, setTheme] = useState(readStoredTheme);
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
