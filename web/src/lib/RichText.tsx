/**
 * A text with a little Markdown — headings, lists, bold, links — drawn as elements. Nothing of it is ever read as HTML, and
 * only web addresses and our own pages become links.
 */
import { Fragment, type ReactNode } from 'react';

const MARKUP_PATTERN = /\*\*(.+?)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>"）)]+)/g;
const SAFE_URL = /^(https?:\/\/|\/(?!\/))/i;

export function RichText({ text }: { text: string }) {
  return (
    <div style={{ lineHeight: 1.8, overflowWrap: 'anywhere' }}>
      {renderBlocks(text.replaceAll('\r\n', '\n').split('\n'))}
    </div>
  );
}

function renderBlocks(lines: string[]): ReactNode[] {
  const drawn: ReactNode[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const heading = /^(#{1,3})\s+(.*)/.exec(line);
    if (heading) {
      const size = 20 - 2 * (heading[1]?.length ?? 1);
      drawn.push(
        <div
          key={at}
          role="heading"
          aria-level={heading[1]?.length}
          style={{ fontSize: size, fontWeight: 600, margin: '8px 0 4px' }}
        >
          {renderInline(heading[2] ?? '')}
        </div>,
      );
    } else if (/^[-*]\s+/.test(line)) {
      const items: string[] = [];
      const first = at;
      for (; /^[-*]\s+/.test(lines[at] ?? ''); at += 1) items.push((lines[at] ?? '').replace(/^[-*]\s+/, ''));
      at -= 1;
      drawn.push(
        <ul key={first} style={{ margin: '4px 0', paddingInlineStart: 24 }}>
          {items.map((item, index) => (
            <li key={index}>{renderInline(item)}</li>
          ))}
        </ul>,
      );
    } else drawn.push(<div key={at}>{line ? renderInline(line) : <br />}</div>);
  }
  return drawn;
}

function renderInline(line: string): ReactNode[] {
  const drawn: ReactNode[] = [];
  let from = 0;
  for (const found of line.matchAll(MARKUP_PATTERN)) {
    drawn.push(
      <Fragment key={from}>{line.slice(from, found.index)}</Fragment>,
      <Fragment key={`m${from}`}>{renderMarkup(found)}</Fragment>,
    );
    from = found.index + found[0].length;
  }
  drawn.push(<Fragment key="rest">{line.slice(from)}</Fragment>);
  return drawn;
}

function renderMarkup([whole, bold, label, address, bare]: RegExpMatchArray): ReactNode {
  if (bold !== undefined) return <strong>{bold}</strong>;
  const target = address ?? bare ?? '';
  if (!SAFE_URL.test(target)) return whole;
  return (
    <a href={target} target="_blank" rel="noopener noreferrer">
      {label ?? target}
    </a>
  );
}
