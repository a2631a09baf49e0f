/** antd's styles in the product's colours, made once by the build: no page makes its own while it is drawn. */
import { extractStyle } from '@ant-design/static-style-extract';
import { ConfigProvider } from 'antd';
import { createElement } from 'react';
import type { Plugin } from 'vite';
import { antdTheme } from '../src/app/theme';

const name = 'virtual:antd.css';
/** Each component's box sizing, by parts of class names: hundreds of rules to try on each element; ours has one for all. */
const boxSizing = /[^{}]*\[class[^{}]*\{box-sizing:border-box;?\}/g;

/** What no page shows: values under keys that the extraction made up for its own dialogs. */
const extractedOnly = /\.css-var-[^{}]*\{[^{}]*\}/g;
/** The common values: said once for the page, not again for each of its components. */
const common = '.erp{';

const made = () => extractStyle((node) => createElement(ConfigProvider, { theme: { ...antdTheme, zeroRuntime: false } }, node));

export function antdStyles(): Plugin {
  return {
    name: 'antd-styles',
    resolveId: (id) => (id === name ? name : undefined),
    load: (id) => (id === name ? made().replace(boxSizing, '').replace(extractedOnly, '').replaceAll(common, ':root{') : undefined),
  };
}
