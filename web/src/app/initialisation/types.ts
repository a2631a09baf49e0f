import type { Progress } from '@/gen';

/** How far a company's initialisation is, and what became of the newest upload. */
export interface Son2CompanyInfo {
  company_id: number;
  type: number;
  is_initialization: number;
  may_upload: boolean;
  task?: Progress | null;
}
