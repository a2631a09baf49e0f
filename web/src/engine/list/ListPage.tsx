import { Alert, Button, Pagination, Result, Select } from 'antd';
import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Query } from '../../lib/api';
import { isCancelled } from '../../lib/errors';
import { useQuery } from '../../lib/query';
import { usePageShortcut } from '../../lib/pageShortcuts';
import { usePageActive } from '../../lib/tabs';
import { useActions } from '../actions';
import { useNextPending } from '../detail/useNextPending';
import { RefetchWhenShown } from '../RefetchWhenShown';
import { DataNotices } from '../DataNotices';
import '../engine.css';
import { isGoodsScreen } from '../print/labelCounts';
import { usePrinting } from '../print/usePrinting';
import { fieldsQuery, listQuery, totalsQuery } from '../queries';
import { RefusalPanel } from '../RefusalPanel';
import { useScreenLinks } from '../routes';
import { findAction, allowsStatus, recordKey, type Action, type Field, type Row, type Screen } from '../types';
import { useColumnPlan } from './columnPlan';
import { FilterBar } from './FilterBar';
import { ListTable } from './ListTable';
import { ListToolbar } from './ListToolbar';
import { fitScheme, toSchemeState, type SchemeState } from './schemes';
import {
  visibleListFields,
  buildListQuery,
  PAGE_SIZES,
  rememberNeighbours,
  useListState,
  type ListState,
} from './listState';
import { useExport } from './useExport';
import { useListChart } from './useListChart';

const ChartPanel = lazy(() => import('./ChartPanel'));
const RecordDialog = lazy(() => import('../form/RecordDialog'));

interface ListPageProps {
  screen: Screen;
  params: Record<string, string>;
  /** Overrides the action of opening a row. */
  onOpen?: (row: Row) => void;
  /** True if it shows the notices about its figures; false on a page that shows them itself. */
  notices?: boolean;
  /** Control that replaces the export button, where there are several formats. */
  exporter?: (query: Query) => ReactNode;
}

/** Format the number of rows, and which of them the totals cover. */
function formatRowCount(screen: Screen, listed: Field[], total: number, uncounted = 0): string {
  const text = `共 ${total.toLocaleString('zh-CN')} 条`;
  if (uncounted === 0 || !listed.some((field) => field.total)) return text;
  return `${text}，${(screen.uncounted ?? []).join('、')} ${uncounted.toLocaleString('zh-CN')} 条不计入合计`;
}

/** Return a predicate of the columns that the role may see; all if that isn't known. */
function useVisibleFields(screen: Screen): (field: Field) => boolean {
  const { data, isLoading } = useQuery(fieldsQuery(screen.routes.list));
  return useCallback((field) => (isLoading ? !field.masked : (data?.includes(field.name) ?? true)), [data, isLoading]);
}

const NO_FAILURES: Set<number> = new Set();

/** A resource's or bill type's list. */
export default function ListPage({ screen, params, onOpen, notices = true, exporter }: ListPageProps) {
  const links = useScreenLinks(screen);
  const active = usePageActive();
  const { run, running } = useActions(screen);
  const { print, label, afterAction, dialog: printing } = usePrinting(screen, isGoodsScreen(screen));
  const [state, changeState] = useListState(screen, params);
  const [selected, setSelected] = useState<number[]>([]);
  const [failed, setFailed] = useState(NO_FAILURES);
  /** Schemes applied so far: each sets the filter bar anew. */
  const [applied, setApplied] = useState(0);
  /** The record being added (null) or changed where the screen has no page for it. */
  const [dialog, setDialog] = useState<{ id: number | null } | null>(null);
  const permits = useVisibleFields(screen);
  const listed = useMemo(() => visibleListFields(screen, state).filter(permits), [screen, state, permits]);
  const control = useColumnPlan(screen.name, listed);
  const query = useMemo(() => buildListQuery(state), [state]);
  const list = useQuery(listQuery(screen, query));
  const sums = useQuery(totalsQuery(screen, query));
  const { refetch, error, data } = list;
  const { refetch: recount, data: counted } = sums;
  const charting = useListChart(screen, listed, query);
  const { refetch: rechart } = charting;

  const exporting = useExport(screen);

  const rows = useMemo(() => data?.data ?? [], [data]);
  const chosen = useMemo(
    () => rows.filter((row) => selected.includes(recordKey(screen, row))),
    [rows, selected, screen],
  );
  const change = useCallback(
    (changes: Partial<ListState>) => {
      setSelected([]);
      setFailed(NO_FAILURES);
      changeState(changes);
    },
    [changeState],
  );
  const sort = useCallback((orderKey: string, orderBy: 'asc' | 'desc') => change({ orderKey, orderBy }), [change]);
  const apply = (scheme: SchemeState) => {
    change(fitScheme(screen, scheme));
    setApplied(applied + 1);
  };
  const refresh = useCallback(() => {
    setFailed(NO_FAILURES);
    void refetch();
    void recount();
    void rechart();
  }, [refetch, recount, rechart]);
  const act = async (action: Action) => {
    const outcome = await run(action, chosen);
    setFailed(outcome.failed);
    if (outcome.done) setSelected([...outcome.failed]);
    afterAction(action, chosen, outcome);
  };
  const add = () => (links.hasForm ? links.add() : setDialog({ id: null }));
  const edit = (row: Row) => (links.hasForm ? links.edit(row) : setDialog({ id: recordKey(screen, row) }));
  const open = useCallback(
    (row: Row) => {
      rememberNeighbours(screen, query, rows);
      const action = findAction(screen, 'edit');
      if (links.canSee) links.see(row);
      else if (screen.drill) links.drill(row, state.filters);
      else if (action && allowsStatus(action, screen, row)) edit(row);
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- links are rebuilt each render from screen
    [screen, query, rows, state.filters],
  );

  const opens = useCallback(
    (row: Row) => {
      const action = findAction(screen, 'edit');
      return (
        onOpen !== undefined ||
        links.leads(row) ||
        (!screen.drill && action !== undefined && allowsStatus(action, screen, row))
      );
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- links are rebuilt each render from screen
    [screen, onOpen],
  );

  const audit = findAction(screen, 'auditorPass');
  const editing = findAction(screen, 'edit');
  const idle = active && running === null;
  const leadOn = useNextPending(screen, (id) => links.see({ [screen.see_key]: id }));
  usePageShortcut('add', idle && findAction(screen, 'add') !== undefined, add);
  usePageShortcut('audit', idle && audit !== undefined, () => void act(audit!));
  usePageShortcut(
    'edit',
    idle && editing !== undefined && chosen.length === 1 && allowsStatus(editing, screen, chosen[0]!),
    () => edit(chosen[0]!),
  );
  usePageShortcut('print', idle && print !== null, () => print?.(chosen));
  usePageShortcut('pending', idle && leadOn !== null && links.canSee, () => {
    rememberNeighbours(screen, query, rows);
    leadOn?.(null);
  });

  return (
    <div className="list-page">
      <RefetchWhenShown query={list} />
      <RefetchWhenShown query={sums} />
      <FilterBar
        key={`${applied}${JSON.stringify(screen.usual)}`}
        screen={screen}
        state={state}
        onSearch={change}
        onRefresh={refresh}
      />
      <ListToolbar
        screen={screen}
        control={control}
        scheme={{ screen: screen.name, readQuery: () => toSchemeState(state), onApply: apply }}
        chosen={chosen}
        running={running}
        onAdd={add}
        onEdit={edit}
        onCopy={screen.family === 'bill' && links.hasForm ? links.copy : null}
        onAction={(action) => void act(action)}
        onExport={() => exporting.mutate(query)}
        exporter={exporter?.(query)}
        onPrint={print && (() => print(chosen))}
        onLabel={label && (() => label(chosen))}
        onRefresh={refresh}
        isChartShown={charting.possible ? charting.chart !== null : null}
        onChart={charting.toggle}
        refreshedAt={data?.refreshed_at}
      />
      <RefusalPanel screen={screen} rows={rows} />
      {screen.note && <Alert type="info" showIcon banner title={screen.note} />}
      {notices && <DataNotices texts={data?.notices} />}
      {charting.chart && (
        <Suspense>
          <ChartPanel
            chart={charting.chart}
            onNarrow={(filters) => apply({ ...state, filters: { ...state.filters, ...filters } })}
          />
        </Suspense>
      )}
      {error && !isCancelled(error) && !data ? (
        <Result
          status="warning"
          title="列表加载失败"
          subTitle={error.message}
          extra={<Button onClick={refresh}>重试</Button>}
        />
      ) : (
        <ListTable
          screen={screen}
          state={state}
          rows={rows}
          totals={counted?.totals}
          loading={list.isFetching}
          control={control}
          selected={selected}
          failed={failed}
          onSelect={setSelected}
          onSort={sort}
          canOpen={opens}
          onOpen={onOpen ?? open}
        />
      )}
      <Pagination
        className="list-pagination"
        current={state.page}
        pageSize={state.perPage}
        total={counted?.total ?? 0}
        showSizeChanger={false}
        showQuickJumper
        showTotal={(total) => (
          <>
            {formatRowCount(screen, listed, total, counted?.uncounted)}
            <Select
              className="page-sizes"
              aria-label="每页条数"
              options={PAGE_SIZES.map((value) => ({ value, label: `${value} 条/页` }))}
              value={state.perPage}
              popupMatchSelectWidth={false}
              onChange={(perPage) => change({ perPage })}
            />
          </>
        )}
        onChange={(page) => change({ page })}
      />
      {printing}
      {dialog && (
        <Suspense>
          <RecordDialog screen={screen} id={dialog.id} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </div>
  );
}
