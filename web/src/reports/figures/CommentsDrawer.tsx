/** 批注: remarks on the page's figures by date; users add remarks, and edit or delete their own. */
import { Alert, App, Button, Card, Drawer, Empty, Form, Input, Select, Space, Spin, Typography } from 'antd';
import { useState } from 'react';
import { confirmAct } from '@/engine/consequenceDialog';
import type { Comment, Comments } from '@/gen';
import { today } from '@/lib/businessClock';
import { useQuery } from '@/lib/query';
import { commentsQuery, useCommentCommand } from './comments';

interface Props {
  code: string;
  tab: string;
  onClose: () => void;
}

export default function CommentsDrawer({ code, tab, onClose }: Props) {
  const { data, error } = useQuery(commentsQuery(code, tab));
  const [shown, setShown] = useState('');
  const [changed, setChanged] = useState<Comment | null>(null);
  const rows = data?.data.filter(({ figure }) => shown === '' || figure === shown) ?? [];
  return (
    <Drawer open title="批注" size={560} onClose={onClose}>
      {error && <Alert type="error" showIcon title={error.message} />}
      {!data && !error && <Spin />}
      {data && (
        <Space orientation="vertical" style={{ width: '100%' }}>
          <CommentForm
            key={changed?.comment_id ?? 0}
            code={code}
            tab={tab}
            known={data}
            changed={changed}
            onDone={() => setChanged(null)}
          />
          <Select
            aria-label="只看一个数字的批注"
            style={{ width: '100%' }}
            value={shown}
            options={[
              { value: '', label: '全部数字' },
              ...data.figures.map(({ key, label }) => ({ value: key, label })),
            ]}
            onChange={setShown}
          />
          {rows.length === 0 && <Empty description="还没有批注" />}
          {rows.map((row) => (
            <CommentItem key={row.comment_id} of={row} onChange={() => setChanged(row)} />
          ))}
        </Space>
      )}
    </Drawer>
  );
}

interface FormProps {
  code: string;
  tab: string;
  known: Comments;
  changed: Comment | null;
  onDone: () => void;
}

function CommentForm({ code, tab, known, changed, onDone }: FormProps) {
  const commenting = useCommentCommand();
  const [figure, setFigure] = useState(changed?.figure ?? '');
  const [company, setCompany] = useState(known.group ? 0 : (known.companies[0]?.company_id ?? 0));
  const [day, setDay] = useState(changed?.day ?? today());
  const [words, setWords] = useState(changed?.words ?? '');
  const done = () => {
    setWords('');
    onDone();
  };
  const save = () => {
    if (changed)
      commenting.mutate(
        { call: 'edit', body: { comment_id: changed.comment_id, day, words }, successMessage: '批注已修改' },
        { onSuccess: done },
      );
    else
      commenting.mutate(
        { call: 'add', body: { code, tab, figure, company_id: company || null, day, words }, successMessage: '已批注' },
        { onSuccess: done },
      );
  };
  const companies = [
    ...(known.group ? [{ value: 0, label: '全集团' }] : []),
    ...known.companies.map(({ company_id, company_name }) => ({ value: company_id, label: company_name })),
  ];
  return (
    <Card size="small" title={changed ? `修改“${changed.figure_label}”的批注` : '新增批注'}>
      <Form layout="vertical">
        {!changed && (
          <>
            <Form.Item label="数字" htmlFor="comment-figure">
              <Select
                id="comment-figure"
                showSearch={{ optionFilterProp: 'label' }}
                value={figure || undefined}
                options={known.figures.map(({ key, label, chart }) => ({ value: key, label: `${label}（${chart}）` }))}
                onChange={setFigure}
              />
            </Form.Item>
            <Form.Item label="公司" htmlFor="comment-company" extra="看得到这家公司这个数字的人看得到批注">
              <Select id="comment-company" value={company} options={companies} onChange={setCompany} />
            </Form.Item>
          </>
        )}
        <Form.Item label="日期" htmlFor="comment-day">
          <Input id="comment-day" type="date" value={day} onChange={(event) => setDay(event.target.value)} />
        </Form.Item>
        <Form.Item label="批注" htmlFor="comment-words">
          <Input.TextArea
            id="comment-words"
            rows={3}
            maxLength={1000}
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </Form.Item>
        <Space>
          <Button
            type="primary"
            disabled={words.trim() === '' || day === '' || (!changed && figure === '')}
            loading={commenting.isPending}
            onClick={save}
          >
            保存
          </Button>
          {changed && <Button onClick={onDone}>取消</Button>}
        </Space>
      </Form>
    </Card>
  );
}

function CommentItem({ of, onChange }: { of: Comment; onChange: () => void }) {
  const { modal } = App.useApp();
  const commenting = useCommentCommand();
  const { comment_id, day, figure_label, words, company_name, author, at, changed_at, mine } = of;
  const remove = async () => {
    const about = {
      effect: '看得到这个数字的人不再看到它',
      undo: '不能恢复，只能重新批注',
      facts: [{ label: '批注', value: words }],
    };
    if (await confirmAct(modal, { title: '删除这条批注？', danger: true, about })) {
      commenting.mutate({ call: 'del', body: { comment_id }, successMessage: '已删除' });
    }
  };
  return (
    <Card
      size="small"
      title={`${day} ${figure_label}`}
      extra={
        mine && (
          <Space size={0}>
            <Button type="link" size="small" onClick={onChange}>
              修改
            </Button>
            <Button type="link" size="small" danger onClick={() => void remove()}>
              删除
            </Button>
          </Space>
        )
      }
    >
      <Typography.Paragraph style={{ whiteSpace: 'pre-line' }}>{words}</Typography.Paragraph>
      <Typography.Text type="secondary">
        {company_name ?? '全集团'} · {author} · {at}
        {changed_at !== null && `，${changed_at} 修改`}
      </Typography.Text>
    </Card>
  );
}
