/** 主题: the product's colours for antd, and the grey mode of days of mourning. */
import type { ThemeConfig } from 'antd';

export const brandColor = '#409EFF';
export type ThemeName = 'normal' | 'grey';

export const antdTheme: ThemeConfig = {
  cssVar: { key: 'erp' },
  hashed: false,
  // What the build has made of this (scripts/antdStyles.ts).
  zeroRuntime: true,
  token: {
    colorPrimary: brandColor,
    colorInfo: brandColor,
    colorSuccess: '#67C23A',
    colorWarning: '#E6A23C',
    colorError: '#F56C6C',
    colorTextBase: '#1F2D3D',
    colorBgLayout: '#F0F2F5',
    borderRadius: 4,
    fontSize: 13,
    fontFamily: "-apple-system, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Segoe UI', sans-serif",
    motionDurationMid: '0.12s',
    motionDurationSlow: '0.18s',
  },
  components: {
    Table: { cellPaddingBlockSM: 5, cellPaddingInlineSM: 8, headerBg: '#F5F7FA', headerColor: '#4A5A6B' },
    Menu: { itemHeight: 34, itemMarginBlock: 2, itemMarginInline: 6, subMenuItemBg: 'transparent' },
    Form: { itemMarginBottom: 14 },
  },
};

/** Nothing slides or fades for those who asked their system for that. */
export function resolveTheme(): ThemeConfig {
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return antdTheme;
  return { ...antdTheme, token: { ...antdTheme.token, motion: false } };
}

export function readStoredTheme(): ThemeName {
  return localStorage.getItem('theme') === 'grey' ? 'grey' : 'normal';
}

export function applyTheme(theme: ThemeName): void {
  localStorage.setItem('theme', theme);
  localStorage.setItem('COLOR_THEME', brandColor);
  document.documentElement.dataset.theme = theme;
}
