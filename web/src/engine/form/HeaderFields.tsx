import { useId } from 'react';
import { useStore } from '../../lib/store';
import { FieldInput, isRef } from '../fields/FieldInput';
import { refNarrow } from '../lines/billContext';
import type { Screen } from '../types';
import { changeHeader, type FormModel } from './formModel';

/** The fields of a form's head, in a grid of labelled inputs. */
export function HeaderFields({ screen, form }: { screen: Screen; form: FormModel }) {
  const base = useId();
  const { values, problems } = useStore(form.header, (state) => state);
  const fields = screen.fields.filter((field) => field.form && !field.hidden);
  return (
    <div className="header-fields">
      {fields.map((field) => {
        const id = `${base}${field.name}`;
        const problem = problems[field.name];
        return (
          <div key={field.name} className={field.type === 'textarea' ? 'header-field wide' : 'header-field'} data-field={field.name}>
            <label htmlFor={id} className={field.required ? 'required' : undefined} title={field.label}>
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
