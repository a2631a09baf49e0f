import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { api } from '../../lib/api';
import { reportError, showMessage } from '../../lib/errors';
import { isEmptyRef } from '../fields/fieldValue';
import { fetchForCurrentContext } from '../pickers/typedChoice';
import { proposalQuery } from '../queries';
import type { Field, Pricing, Proposal, Row } from '../types';
import type { BillContext } from './billContext';
import { isBlankLine, newLine, typeCell, type LineRow } from './lineModel';
import type { LineStore } from './lineStore';

interface ProposalButtonProps {
  proposal: Proposal;
  store: LineStore;
  context: BillContext;
  pricing: Pricing | null;
  goods: Field | undefined;
}

/**
 * Adds the rows that the server proposes for the bill's header: those whose goods or sources no line holds, or those that it
 * finds lacking of the lines it is told.
 */
export function ProposalButton({ proposal, store, context, pricing, goods }: ProposalButtonProps) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const add = async () => {
    const header = context.header();
    if (proposal.by.some((name) => isEmptyRef(header[name]))) return showMessage('warning', '请先填写表头');
    const written = () => store.get().filter((line) => !isBlankLine(store.fields, line));
    const rows = await fetchForCurrentContext(
      () => Object.fromEntries(proposal.by.map((name) => [name, context.header()[name]])),
      (by) => (proposal.of?.length ? fetchMissingRows(proposal, proposal.of, by, written()) : unheld(by, written())),
    );
    const added = rows.map((row) => buildProposedLine(store.fields, row, pricing));
    if (added.length > 0) store.set(() => [...written(), ...added]);
    showMessage(
      added.length > 0 ? 'success' : 'info',
      added.length > 0 ? `已生成${added.length}行` : '没有需要生成的明细',
    );
  };
  const unheld = async (header: Row, lines: LineRow[]) => {
    const query = Object.fromEntries(proposal.by.map((name) => [name, Number(header[name])]));
    const rows = await client.fetchQuery(proposalQuery(proposal.api, query));
    const keys = goods ? [goods] : store.fields.filter((field) => field.hidden);
    const keyOf = (row: Row) => keys.map((field) => String(row[field.name] ?? '')).join(':');
    const presentKeys = new Set(lines.map((line) => keyOf(line.values)));
    return rows.filter((row) => !presentKeys.has(keyOf(row)));
  };
  const run = () => {
    setBusy(true);
    store.track(
      add()
        .catch(reportError)
        .finally(() => setBusy(false)),
    );
  };
  return (
    <Button tabIndex={-1} loading={busy} onClick={run}>
      {proposal.label}
    </Button>
  );
}

/** Fetch the rows that the server finds missing from the lines. */
function fetchMissingRows(proposal: Proposal, of: string[], header: Row, lines: LineRow[]): Promise<Row[]> {
  const picked = (names: string[], values: Row) =>
    Object.fromEntries(names.map((name) => [name, values[name] === '' ? null : values[name]]));
  const body = { ...picked(proposal.by, header), lines: lines.map((line) => picked(of, line.values)) };
  return api.post<Row[]>(proposal.api, body);
}

function buildProposedLine(fields: Field[], row: Row, pricing: Pricing | null): LineRow {
  const line = newLine(fields, row);
  const quantity = fields.find((field) => field.name === pricing?.quantity);
  return quantity ? typeCell(line, quantity, String(row[quantity.name]), pricing).line : line;
}
