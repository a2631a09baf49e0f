/** A role as form values and as request body. */
import type { RoleEditor } from '@/gen';
import { fieldKey } from './FieldMatrix';

export const ALL_COMPANIES = 1;
export const CHOSEN_COMPANIES = 2;

export interface RoleForm {
  role_id: number | null;
  version: number | null;
  role_name: string;
  scope_kind: number;
  own_kind: number;
  sees_cost: boolean;
  enabled: boolean;
  remark: string;
  rights: Set<string>;
  bundles: number[];
  companies: number[];
  warehouses: number[];
  /** Hidden fields as `screen.field`. */
  denied: Set<string>;
}

/** Convert a stored role to form values; a copy is a new role with the same values. */
export function toRoleForm({ role, holdings: granted, least_own }: RoleEditor, copy: boolean): RoleForm {
  const fresh = role === null || role === undefined || copy;
  return {
    role_id: fresh ? null : Number(role.role_id),
    version: fresh ? null : Number(role.version),
    role_name: fresh ? '' : String(role.role_name),
    scope_kind: Number(role?.scope_kind ?? CHOSEN_COMPANIES),
    own_kind: Number(role?.own_kind ?? least_own),
    sees_cost: role?.sees_cost === true,
    enabled: fresh || role.enabled === true,
    remark: String(role?.remark ?? ''),
    rights: new Set(granted.rights),
    bundles: granted.bundles ?? [],
    companies: granted.companies,
    warehouses: granted.warehouses ?? [],
    denied: new Set((granted.denied ?? []).map(({ screen, field }) => fieldKey(screen, field))),
  };
}

export function buildRoleBody({ rights, denied, companies, ...form }: RoleForm) {
  return {
    ...form,
    companies: form.scope_kind === ALL_COMPANIES ? [] : companies,
    rights: [...rights].sort(),
    denied: [...denied].sort().map((key) => {
      const dot = key.indexOf('.');
      return { screen: key.slice(0, dot), field: key.slice(dot + 1) };
    }),
  };
}
