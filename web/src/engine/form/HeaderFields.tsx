import { Fragment, lazy, Suspense, useEffect, useId, useRef, type KeyboardEvent } from 'react';
import { isKeyboardFree } from '../../lib/keyboard';
import { useStore } from '../../lib/store';
import { FieldInput } from '../fields/FieldInput';
import { isWritable } from '../fields/fieldRules';
import { isEmptyValue } from '../fields/fieldValue';
import { refNarrow } from '../lines/billContext';
import { isRef, type Field, type Screen } from '../types';
import { MapButton } from '../map/MapButton';
import { isPaper } from './filling';
import { changeHeader, type FormModel } from './formModel';

const FillButtons = lazy(() => import('./FillButtons'));

/** Long texts take two columns; pictures are tall and take a row. */
const WIDTHS: Partial<Record<string, string>> = { textarea: 'wide', image: 'whole' };

interface HeaderFieldsProps {
  screen: Screen;
  form: FormModel;
  /** Where Enter stops; everywhere unless told. */
  isStop?: (field: Field) => boolean;
  /** Whether the keyboard begins here, in the first field that has to be filled in; without any, in the lines. */
  begins?: boolean;
}

/** The fields of a form's head, in a grid of labelled inputs. */
export function HeaderFields({ screen, form, isStop = () => true, begins = false }: HeaderFieldsProps) {
  const base = useId();
  const head = useRef<HTMLDivElement>(null);
  const { values, problems, hints, doubts } = useStore(form.header, (state) => state);
  const fields = screen.fields.filter((field) => field.form && !field.hidden);
  // Beside the pictures of papers, where the form has any.
  const beside = (fields.find(isPaper) ?? fields.at(-1))?.name;
  useEffect(() => {
    if (!begins || !isKeyboardFree()) return;
    const { values: begun } = form.header.get();
    const due = screen.fields.find((field) => field.form && !field.hidden && field.required && isWritable(field) && isEmptyValue(field, begun[field.name]));
    begin(head.current, due ? `${base}${due.name}` : null);
  }, [begins, screen, form, base]);
  return (
    <div ref={head} role="presentation" className="header-fields" onKeyDown={onEnter} onKeyDownCapture={onEnterList}>
      {fields.map((field) => {
        const id = `${base}${field.name}`;
        const problem = problems[field.name];
        const hint = problem ? undefined : hints[field.name];
        const doubt = problem ? undefined : doubts[field.name];
        return (
          <Fragment key={field.name}>
            <div className={`header-field ${WIDTHS[field.type] ?? ''}`} data-field={field.name} data-stop={isStop(field) || undefined}>
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
                  onEntered={() => goOn(document.getElementById(id))}
                />
                {problem && (
                  <span className="field-problem" role="alert">
                    {problem}
                  </span>
                )}
                {hint && <span className="field-hint">{hint}</span>}
                {doubt && <span className="field-doubt">{doubt}</span>}
              </div>
              {isPlace(field) && <MapButton field={field} row={values} into={{ form, fields: screen.fields }} />}
            </div>
            {field.name === beside && screen.fillings && screen.fillings.length > 0 && (
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
function isPlace(field: Field): boolean {
  return field.place === true && !isRef(field) && isWritable(field);
}

function begin(head: HTMLElement | null, id: string | null): void {
  const field = id === null ? head?.closest('.form-page')?.querySelector<HTMLElement>('.cell-input') : document.getElementById(id);
  field?.focus({ preventScroll: true });
}

/** Enter goes to the next field, as in the grid, also from a date once it is one; Shift breaks the line of a long text. */
function onEnter(event: KeyboardEvent<HTMLDivElement>): void {
  const from = entered(event);
  if (from === null || isList(from) || from.getAttribute('aria-invalid') === 'true') return;
  event.preventDefault();
  goOn(from);
}

/** In a closed list as well, which would open by it; an open one takes what is chosen. */
function onEnterList(event: KeyboardEvent<HTMLDivElement>): void {
  const from = entered(event);
  if (from === null || !isList(from) || from.getAttribute('aria-expanded') === 'true') return;
  event.stopPropagation();
  // Else the key would still break a line in the long text that it leads to.
  event.preventDefault();
  goOn(from);
}

type Input = HTMLInputElement | HTMLTextAreaElement;

function entered({ key, shiftKey, nativeEvent, target }: KeyboardEvent<HTMLDivElement>): Input | null {
  const isInput = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return key === 'Enter' && !shiftKey && !nativeEvent.isComposing && isInput ? target : null;
}

function isList(input: Input): boolean {
  return input.getAttribute('role') === 'combobox';
}

/** To the next stop. Behind the last one come the lines; where there are none until they are chosen, what offers them; else what saves. */
function goOn(from: HTMLElement | null): void {
  const page = from?.closest('.form-page');
  if (!from || !page) return;
  const stops = page.querySelectorAll<HTMLElement>('[data-stop] input:not(:disabled), [data-stop] textarea, .cell-input');
  const later = [...stops].find((one) => one.offsetParent !== null && isBehind(one, from));
  (later ?? page.querySelector<HTMLElement>('.line-source') ?? page.querySelector<HTMLElement>('.form-save'))?.focus();
}

function isBehind(one: HTMLElement, from: HTMLElement): boolean {
  const field = from.closest('[data-field]');
  return (from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 && !field?.contains(one);
}
