/** 口径: definition, source tables and bills, and time of each figure on the page. */
import { Alert, Collapse, Drawer, Empty, Input, Space, Spin, Tag, Typography } from 'antd';
import { useState } from 'react';
import { DataNotices } from '@/engine/DataNotices';
import type { ExplainedFigure, ExplainedReport, FigureSource } from '@/gen';
import { useQuery } from '@/lib/query';
import { explanationQuery, filterFigures } from './explanation';

interface Props {
  code: string;
  tab: string;
  /** Grouping of a list. */
  grouping?: string;
  onClose: () => void;
}

export default function ExplainDrawer({ code, tab, grouping, onClose }: Props) {
  const { data, error } = useQuery(explanationQuery(code, tab, grouping));
  return (
    <Drawer open title={data ? `口径：${data.title}` : '口径'} size={640} onClose={onClose}>
      {error && <Alert type="error" showIcon title={error.message} />}
      {!data && !error && <Spin />}
      {data && <Explanation of={data} />}
    </Drawer>
  );
}

function Explanation({ of }: { of: ExplainedReport }) {
  const [text, setText] = useState('');
  const shown = filterFigures(of.figures, text);
  return (
    <Space orientation="vertical" style={{ width: '100%' }} size="middle">
      <Typography.Text type="secondary">
        {of.refreshed_at ? `数据更新于 ${of.refreshed_at}，算到业务日 ${of.as_of ?? ''}` : '数据尚未发布'}
      </Typography.Text>
      <DataNotices texts={of.notices} />
      <Input.Search
        allowClear
        placeholder="找一个数字"
        aria-label="找一个数字"
        onChange={(event) => setText(event.target.value)}
      />
      {shown.length === 0 && <Empty description="没有这个数字" />}
      {shown.map((figure) => (
        <FigureExplanation key={`${figure.chart} ${figure.name}`} of={figure} />
      ))}
      <Collapse
        items={of.chapters.map(({ title, blocks }) => ({
          key: title,
          label: title,
          children: blocks.map((block) => <ExplanationBlock key={block} text={block} />),
        }))}
      />
    </Space>
  );
}

function FigureExplanation({
  of: { label, chart, note, formula, said, sources, same_named },
}: {
  of: ExplainedFigure;
}) {
  return (
    <section aria-label={label}>
      <Typography.Title level={5} style={{ marginBottom: 2 }}>
        {label} <Typography.Text type="secondary">{chart}</Typography.Text>
      </Typography.Title>
      {note !== '' && <Typography.Paragraph style={{ marginBottom: 4 }}>{note}</Typography.Paragraph>}
      {formula !== null && (
        <Typography.Paragraph style={{ marginBottom: 4 }}>{`算法：${formula}`}</Typography.Paragraph>
      )}
      {said.map((block) => (
        <ExplanationBlock key={block} text={block} />
      ))}
      {sources.map((source) => (
        <FigureSourceItem key={source.table_name} of={source} />
      ))}
      {same_named.map(({ title, reason }) => (
        <Typography.Paragraph key={title} type="secondary" style={{ marginBottom: 2 }}>
          {reason === null ? `与“${title}”的${label}相等` : `与“${title}”的${label}不同：${reason}`}
        </Typography.Paragraph>
      ))}
    </section>
  );
}

function FigureSourceItem({ of: { table_name, label, columns, bills } }: { of: FigureSource }) {
  return (
    <div>
      <Typography.Text type="secondary">
        来源：{label || table_name} <Typography.Text code>{table_name}</Typography.Text>
      </Typography.Text>
      {columns.map(({ name, label: about }) => (
        <div key={name}>
          <Typography.Text code>{name}</Typography.Text> {about}
        </div>
      ))}
      {bills.length > 0 && (
        <div>
          源于：
          {bills.map((bill) => (
            <Tag key={bill}>{bill}</Tag>
          ))}
        </div>
      )}
    </div>
  );
}

/** A paragraph or a point of the definitions: their Markdown has no more than bold names and code. */
function ExplanationBlock({ text }: { text: string }) {
  return (
    <Typography.Paragraph style={{ marginBottom: 4, whiteSpace: 'pre-line' }}>
      {text.replace(/^- /, '').replaceAll('`', '')}
    </Typography.Paragraph>
  );
}
