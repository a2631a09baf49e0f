import { Fragment, lazy, Suspense, useEffect, useId, useRef, type KeyboardEvent } from 'react';
import { isFocusLost } from '../../lib/focusLoss';
import { useStore } from '../../lib/store';
import { FieldInput } from '../fields/FieldInput';
import { isWritable } from '../fields/fieldRules';
import { isEmptyValue } from '../fields/fieldValue';
import { buildRefQuery } from '../lines/billContext';
import { isRef, type Field, type Screen } from '../types';
import { MapButton } from '../map/MapButton';
import { isDocumentImage } from './fillForm';
import { changeHeader, type FormModel } from './formModel';

const FillButtons = lazy(() => import('./FillButtons'));

/** Long texts take two columns; pictures are tall and take a row. */
const WIDTH_CLASSES: Partial<Record<string, string>> = { textarea: 'wide', image: 'whole' };

interface HeaderFieldsProps {
  screen: Screen;
  form: FormModel;
  /** Returns whether Enter stops at a field; everywhere by default. */
  isStop?: (field: Field) => boolean;
  /** True if the initial focus is in the first required field, or in the lines if there is none. */
  takesFocus?: boolean;
}

/** The fields of a form's head, in a grid of labelled inputs. */
export function HeaderFields({ screen, form, isStop = () => true, takesFocus: begins = false }: HeaderFieldsProps) {
  const base = useId();
  const head = useRef<HTMLDivElement>(null);
  const { values, problems, hints, doubts } = useStore(form.header, (state) => state);
  const fields = screen.fields.filter((field) => field.form && !field.hidden);
  // Beside the pictures of papers, where the form has any.
  const buttonsField = (fields.find(isDocumentImage) ?? fields.at(-1))?.name;
  useEffect(() => {
    if (!begins || !isFocusLost()) return;
    const { values: begun } = form.header.get();
    const due = screen.fields.find(
      (field) =>
        field.form && !field.hidden && field.required && isWritable(field) && isEmptyValue(field, begun[field.name]),
    );
    focusField(head.current, due ? `${base}${due.name}` : null);
  }, [begins, screen, form, base]);
  return (
    <div
      ref={head}
      role="presentation"
      className="header-fields"
      onKeyDown={handleEnter}
      onKeyDownCapture={handleEnterInList}
    >
      {fields.map((field) => {
        const id = `${base}${field.name}`;
        const problem = problems[field.name];
        const hint = problem ? undefined : hints[field.name];
        const doubt = problem ? undefined : doubts[field.name];
        return (
          <Fragment key={field.name}>
            <div
              className={`header-field ${WIDTH_CLASSES[field.type] ?? ''}`}
              data-field={field.name}
              data-stop={isStop(field) || undefined}
            >
              <label htmlFor={id} className={field.required ? 'required' : undefined}>
                {field.label}
              </label>
              <div className="header-control">
                <FieldInput
                  id={id}
                  field={field}
                  row={values}
                  problem={problem}
                  narrow={isRef(field) ? buildRefQuery(field, values, {}) : undefined}
                  onChange={(changes) => changeHeader(form, screen.fields, changes)}
                  onKeyboardChoice={() => focusNextStop(document.getElementById(id))}
                />
                {problem && (
                  <span className="field-problem" role="alert">
                    {problem}
                  </span>
                )}
                {hint && <span className="field-hint">{hint}</span>}
                {doubt && <span className="field-doubt">{doubt}</span>}
              </div>
              {isAddressField(field) && (
                <MapButton field={field} row={values} target={{ form, fields: screen.fields }} />
              )}
            </div>
            {field.name === buttonsField && screen.fillings && screen.fillings.length > 0 && (
              <Suspense fallback={null}>
                <FillButtons screen={screen} fillings={screen.fillings} form={form} />
              </Suspense>
            )}
          </Fragment>
        );
      })}
    </div>
  );
}

/** An address that is written here; one that is chosen among those known is looked for in its own record. */
function isAddressField(field: Field): boolean {
  return field.place === true && !isRef(field) && isWritable(field);
}

function focusField(head: HTMLElement | null, id: string | null): void {
  const field =
    id === null ? head?.closest('.form-page')?.querySelector<HTMLElement>('.cell-input') : document.getElementById(id);
  field?.focus({ preventScroll: true });
}

/** Enter goes to the next field, as in the grid, also from a date once it is one; Shift breaks the line of a long text. */
function handleEnter(event: KeyboardEvent<HTMLDivElement>): void {
  const from = findEnteredControl(event);
  if (from === null || isCombobox(from) || from.getAttribute('aria-invalid') === 'true') return;
  event.preventDefault();
  focusNextStop(from);
}

/** In a closed list as well, which would open by it; an open one takes what is chosen. */
function handleEnterInList(event: KeyboardEvent<HTMLDivElement>): void {
  const from = findEnteredControl(event);
  if (from === null || !isCombobox(from) || from.getAttribute('aria-expanded') === 'true') return;
  event.stopPropagation();
  // Else the key would still break a line in the long text that it leads to.
  event.preventDefault();
  focusNextStop(from);
}

type TextControl = HTMLInputElement | HTMLTextAreaElement;

function findEnteredControl({ key, shiftKey, nativeEvent, target }: KeyboardEvent<HTMLDivElement>): TextControl | null {
  const isInput = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && isInput ? target : null;
}

function isCombobox(input: TextControl): boolean {
  return input.getAttribute('role') === 'combobox';
}

/** Focus the next stop; after the last one the lines, else the button that offers them, else the save button. */
function focusNextStop(from: HTMLElement | null): void {
  const page = from?.closest('.form-page');
  if (!from || !page) return;
  const stops = page.querySelectorAll<HTMLElement>(
    '[data-stop] input:not(:disabled), [data-stop] textarea, .cell-input',
  );
  const later = [...stops].find((one) => one.offsetParent !== null && isAfter(one, from));
  (later ?? page.querySelector<HTMLElement>('.line-source') ?? page.querySelector<HTMLElement>('.form-save'))?.focus();
}

function isAfter(one: HTMLElement, from: HTMLElement): boolean {
  const field = from.closest('[data-field]');
  return (from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 && !field?.contains(one);
}
