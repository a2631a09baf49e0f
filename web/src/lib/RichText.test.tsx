import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { RichText } from './RichText';

const renderText = (text: string) => render(<RichText text={text} />).container;

describe('an announcement’s text', () => {
  it('draws headings, lists, bold and links', () => {
    const page = renderText('# 通知\n- 一\n- **二**\n见 [手册](https://a.cn/x) 或 http://b.cn/y\n\n完');
    expect(page.querySelector('[role=heading]')?.textContent).toBe('通知');
    expect([...page.querySelectorAll('li')].map((one) => one.textContent)).toEqual(['一', '二']);
    expect(page.querySelector('strong')?.textContent).toBe('二');
    expect([...page.querySelectorAll('a')].map((one) => [one.textContent, one.getAttribute('href')])).toEqual([
      ['手册', 'https://a.cn/x'],
      ['http://b.cn/y', 'http://b.cn/y'],
    ]);
  });

  it.each(['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '<a href="javascript:alert(1)">x</a>'])(
    'shows HTML as the text that it is: %s',
    (text) => {
      const page = renderText(text);
      expect(page.querySelector('img, script, a')).toBeNull();
      expect(page.textContent).toBe(text);
    },
  );

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.cn/x', 'JaVaScript:alert(1)'])(
    'makes no link of %s',
    (address) => {
      const page = renderText(`[点我](${address})`);
      expect(page.querySelector('a')).toBeNull();
      expect(page.textContent).toBe(`[点我](${address})`);
    },
  );
});
