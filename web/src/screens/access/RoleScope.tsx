/** Scope of a role: companies, warehouses, own bills, cost; its bundles; and its users. */
import { Form, Input, Radio, Select, Switch, Tag } from 'antd';
import type { RoleEditor } from '@/gen';
import { ALL_COMPANIES, CHOSEN_COMPANIES, type RoleForm } from './roleForm';
import styles from './access.module.css';
import { ALLOW_CLEAR } from '@/lib/clearOnDelete';

const OWN_BILL_OPTIONS = [
  { value: 1, label: '全部单据' },
  { value: 2, label: '本部门单据' },
  { value: 3, label: '本人单据' },
];
const SHOWN_USERS = 20;

interface Props {
  form: RoleForm;
  editor: RoleEditor;
  onChange: (changes: Partial<RoleForm>) => void;
}

export function RoleScope({ form, editor, onChange }: Props) {
  const companies = editor.companies.map(({ id, name }) => ({ value: id, label: name }));
  const reached = form.scope_kind === ALL_COMPANIES ? null : new Set(form.companies);
  const warehouses = editor.warehouses
    .filter(({ company_id }) => reached === null || reached.has(company_id))
    .map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Form layout="vertical" size="small">
      <Form.Item label="角色名称" required>
        <Input
          aria-label="角色名称"
          maxLength={100}
          value={form.role_name}
          onChange={(event) => onChange({ role_name: event.target.value })}
        />
      </Form.Item>
      <Form.Item label="数据范围" required>
        <Radio.Group value={form.scope_kind} onChange={(event) => onChange({ scope_kind: Number(event.target.value) })}>
          <Radio value={ALL_COMPANIES} disabled={!editor.may_all_companies}>
            全部公司
          </Radio>
          <Radio value={CHOSEN_COMPANIES}>指定公司</Radio>
        </Radio.Group>
        {form.scope_kind === CHOSEN_COMPANIES && (
          <ScopeSelect
            label="公司"
            options={companies}
            value={form.companies}
            onChange={(chosen) => onChange({ companies: chosen })}
          />
        )}
      </Form.Item>
      <Form.Item label="仓库" extra={editor.may_all_warehouses ? '不选则可用范围内的全部仓库' : '请选择自己可用的仓库'}>
        <ScopeSelect
          label="仓库"
          options={warehouses}
          value={form.warehouses}
          onChange={(chosen) => onChange({ warehouses: chosen })}
        />
      </Form.Item>
      <Form.Item label="单据范围">
        <Radio.Group
          value={form.own_kind}
          options={OWN_BILL_OPTIONS.map((one) => ({ ...one, disabled: one.value < editor.least_own }))}
          onChange={(event) => onChange({ own_kind: Number(event.target.value) })}
        />
      </Form.Item>
      <Form.Item label="查看成本与毛利" layout="horizontal">
        <Switch
          aria-label="查看成本"
          checked={form.sees_cost}
          disabled={!editor.may_cost && !form.sees_cost}
          onChange={(sees_cost) => onChange({ sees_cost })}
        />
      </Form.Item>
      <Form.Item label="启用" layout="horizontal">
        <Switch aria-label="启用" checked={form.enabled} onChange={(enabled) => onChange({ enabled })} />
      </Form.Item>
      <Form.Item label="权限包" extra="权限包修改后，使用它的角色随之变化">
        <ScopeSelect
          label="权限包"
          options={editor.bundles.map((one) => ({
            value: one.right_bundle_id,
            label: `${one.bundle_name}（${one.rights.length}）`,
          }))}
          value={form.bundles}
          onChange={(chosen) => onChange({ bundles: chosen })}
        />
      </Form.Item>
      <Form.Item label="备注">
        <Input.TextArea
          aria-label="备注"
          rows={2}
          maxLength={500}
          value={form.remark}
          onChange={(event) => onChange({ remark: event.target.value })}
        />
      </Form.Item>
      {form.role_id !== null && editor.users.length > 0 && (
        <Form.Item label={`使用此角色的用户（${editor.users.length}）`}>
          {editor.users.slice(0, SHOWN_USERS).map(({ id, name }) => (
            <Tag key={id}>{name}</Tag>
          ))}
          {editor.users.length > SHOWN_USERS && <span className={styles.muted}>等</span>}
        </Form.Item>
      )}
    </Form>
  );
}

interface ScopeSelectProps {
  label: string;
  options: { value: number; label: string }[];
  value: number[];
  onChange: (chosen: number[]) => void;
}

function ScopeSelect({ label, options, value, onChange }: ScopeSelectProps) {
  const known = new Set(options.map((one) => one.value));
  return (
    <Select
      mode="multiple"
      allowClear={ALLOW_CLEAR}
      aria-label={`选择${label}`}
      placeholder={`请选择${label}`}
      showSearch={{ optionFilterProp: 'label' }}
      style={{ width: '100%', marginTop: 4 }}
      options={options}
      value={value.filter((one) => known.has(one))}
      onChange={onChange}
    />
  );
}
