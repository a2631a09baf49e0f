import { useId, type KeyboardEvent } from 'react';
import { useStore } from '../../lib/store';
import { FieldInput } from '../fields/FieldInput';
import { refNarrow } from '../lines/billContext';
import { isRef, type Screen } from '../types';
import { changeHeader, type FormModel } from './formModel';

/** Long texts take two columns; pictures are tall and take a row. */
const WIDTHS: Partial<Record<string, string>> = { textarea: 'wide', image: 'whole' };

/** The fields of a form's head, in a grid of labelled inputs. */
export function HeaderFields({ screen, form }: { screen: Screen; form: FormModel }) {
  const base = useId();
  const { values, problems } = useStore(form.header, (state) => state);
  const fields = screen.fields.filter((field) => field.form && !field.hidden);
  return (
    <div className="header-fields" onKeyDown={onEnter}>
      {fields.map((field) => {
        const id = `${base}${field.name}`;
        const problem = problems[field.name];
        return (
          <div key={field.name} className={`header-field ${WIDTHS[field.type] ?? ''}`} data-field={field.name}>
            <label htmlFor={id} className={field.required ? 'required' : undefined}>
              {field.label}
            </label>
            <div className="header-control">
              <FieldInput
                id={id}
                field={field}
                row={values}
                problem={problem}
                narrow={isRef(field) ? refNarrow(field, values, {}) : undefined}
                onChange={(changes) => changeHeader(form, screen.fields, changes)}
              />
              {problem && (
                <span className="field-problem" role="alert">
                  {problem}
                </span>
              )}
            </div>
          </div>
        );
      })}
    </div>
  );
}

/** Enter in a plain input goes to the next field, as in the grid; lists and text areas keep their Enter. */
function onEnter(event: KeyboardEvent<HTMLDivElement>): void {
  const from = event.target;
  if (event.key !== 'Enter' || event.nativeEvent.isComposing || !(from instanceof HTMLInputElement)) return;
  if (from.getAttribute('role') === 'combobox' || from.closest('.ant-picker')) return;
  const page = from.closest('.form-page');
  if (page === null) return;
  const inputs = [...page.querySelectorAll<HTMLElement>('.header-fields input:not(:disabled), .header-fields textarea, .cell-input')];
  const visible = inputs.filter((input) => input.offsetParent !== null || input === from);
  visible[visible.indexOf(from) + 1]?.focus();
}
