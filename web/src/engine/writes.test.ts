import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Every write of the web shell is here: what no click takes back with the file that asks about it, which shows what it
 * will change, for whom, and how to undo it; the others with why nobody is asked. A new write that is not listed fails.
 */

const ROOT = join(import.meta.dirname, '..');
const FORM_SHOWS = 'the form shows what is saved';
const READ_ONLY = 'changes nothing';
const OWN_SETTING = 'the user’s own, changed back as easily';

const CONFIRMED_WRITES: Record<string, string> = {
  'app/initialisation/InitialisationDialog.tsx open/Initialization/skip': 'app/initialisation/InitialisationDialog.tsx',
  'engine/actions.tsx ${screen.api}/${action.name}': 'engine/actions.tsx',
  'lib/impersonation.ts v2/system/ImitateLogin/imitate': 'screens/access/ImpersonatePage.tsx',
  'reports/boards/boards.ts ${PREFIX}/${call}': 'reports/boards/BoardsPage.tsx',
  'reports/figures/alerts.ts ${PREFIX}/${call}': 'reports/figures/AlertsPage.tsx',
  'reports/figures/comments.ts ${PREFIX}/${call}': 'reports/figures/CommentsDrawer.tsx',
  'reports/subscriptions/subscriptions.ts ${PREFIX}/${call}': 'reports/subscriptions/SubscriptionsPage.tsx',
  'screens/CleanupPage.tsx ${screen.api}/clear': 'screens/CleanupPage.tsx',
  'screens/CostRecalculationPage.tsx ${screen.api}/start': 'screens/CostRecalculationPage.tsx',
  'screens/MonthClosePage.tsx ${screen.api}/${call}': 'screens/MonthClosePage.tsx',
  'screens/access/BundleEditor.tsx v2/system/RightBundle/save': 'screens/access/BundleEditor.tsx',
  'screens/access/PasswordDialog.tsx ${screen.api}/setPassword': 'screens/access/PasswordDialog.tsx',
  'screens/access/RoleEditor.tsx v2/system/Role/save': 'screens/access/RoleEditor.tsx',
  'screens/access/SessionsDrawer.tsx ${screen.api}/endSession': 'screens/access/SessionsDrawer.tsx',
  'screens/access/UserPage.tsx ${screen.api}/${call}': 'screens/access/UserPage.tsx',
  'screens/printing/setupCalls.ts ${PATH}/del': 'screens/printing/PrintSettingPage.tsx',
  'screens/printing/setupCalls.ts ${PATH}/instantRecovery': 'screens/printing/PrintSettingPage.tsx',
};

const UNCONFIRMED_WRITES: Record<string, string> = {
  'app/ChangePassword.tsx v2/system/User/changePassword': FORM_SHOWS,
  'app/FirstPassword.tsx repo_logout': OWN_SETTING,
  'app/header/UserMenu.tsx repo_logout': OWN_SETTING,
  'app/login/LoginPage.tsx v2/user/Login/login': OWN_SETTING,
  'app/notices/ReminderDialog.tsx v2/open/Message/setPopUpLog': OWN_SETTING,
  'app/notices/queries.ts v2/open/Message/readUserMessage': OWN_SETTING,
  'app/station/BroadcastToggle.tsx v2/open/BroadcastVoice/setIsBroadcast': OWN_SETTING,
  'app/station/VersionSwitch.tsx v2/open/User/serviceStationSetUpVersion': OWN_SETTING,
  'app/survey/SatisfactionDialog.tsx v2/open/Survey/save': FORM_SHOWS,
  'app/survey/SurveyPage.tsx v2/open/Questionnaire/saveQuestionnaireAnswer': FORM_SHOWS,
  'engine/actions.tsx ${screen.api}/getConsequence': READ_ONLY,
  'engine/form/FillButtons.tsx ${screen.api}/${filling.name}':
    'what is read fills in empty fields of a form that is saved afterwards',
  'engine/form/useSave.ts path': FORM_SHOWS,
  'engine/lines/ProposalButton.tsx proposal.api': READ_ONLY,
  'engine/list/useExport.ts ${screen.api}/export': READ_ONLY,
  'engine/print/printCalls.ts ${LABELS}/print': READ_ONLY,
  'engine/print/printCalls.ts ${screen.api}/print': READ_ONLY,
  'engine/print/printCalls.ts ${screen.api}/printTask': READ_ONLY,
  'engine/upload/UploadField.tsx REMOVE': FORM_SHOWS,
  'engine/upload/UploadField.tsx UPLOAD': FORM_SHOWS,
  'engine/upload/uploadSheet.ts path': 'a preview of the sheet is shown first',
  'lib/impersonation.ts v2/user/Login/endImitate': OWN_SETTING,
  'lib/preferences.ts v2/open/UserPreference/del': OWN_SETTING,
  'lib/preferences.ts v2/open/UserPreference/save': OWN_SETTING,
  'reports/ExplorePage.tsx ${screen.api}/explore': READ_ONLY,
  'reports/boards/boards.ts ${PREFIX}/open': READ_ONLY,
  'reports/frameQuery.ts v2/report/Frame/getGuestToken': READ_ONLY,
  'reports/reportExport.ts v2/report/Frame/export': READ_ONLY,
  'screens/BackupPage.tsx ${screen.api}/backup': READ_ONLY,
  'screens/CostRecalculationPage.tsx ${screen.api}/getConsequence': READ_ONLY,
  'screens/MonthClosePage.tsx ${screen.api}/getConsequence': READ_ONLY,
  'screens/NumberTemplatePage.tsx ${screen.api}/preview': READ_ONLY,
  'screens/NumberTemplatePage.tsx ${screen.api}/save': 'the form shows an example of the numbers to come',
  'screens/SmsBillPage.tsx ${PATH}/sendSms': 'the form shows the number and the text that is sent',
  'screens/access/UserDialog.tsx ${screen.api}/save': FORM_SHOWS,
  'screens/messages/AnnouncementEdit.tsx v2/system/MessageLog/save':
    'the form shows text and audience; it can be withdrawn',
  'screens/money/CheckstandPage.tsx ${screen.api}/collect': 'the form shows what is settled and received',
  'screens/printing/setupCalls.ts ${PATH}/addPrint': FORM_SHOWS,
  'screens/printing/setupCalls.ts ${PATH}/preview': READ_ONLY,
  'screens/printing/setupCalls.ts ${PATH}/setDefault': 'another may be chosen as easily',
};

/** Questions that are no acts: the server asks (362, 363), a date may be a slip, leaving. */
const OTHER_QUESTIONS = [
  'app/header/UserMenu.tsx',
  'engine/confirmation.tsx',
  'engine/consequenceDialog.tsx',
  'engine/form/futureDates.ts',
];

function sources(folder = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'gen' ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.|fixtures|harness/.test(entry.name) ? [path] : [];
  });
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const files = sources().map((path) => relative(ROOT, path));
const writes = files.flatMap((file) =>
  [...read(file).matchAll(/api\.(?:post|postForMessage|upload)(?:<[^(]*>)?\(\s*([`'][^`']*[`']|\w+(?:\.\w+)?)/g)].map(
    ([, path]) => `${file} ${path!.replace(/[`']/g, '')}`,
  ),
);

describe('the writes of the web shell', () => {
  it('are asked about, or say why not', () => {
    expect([...new Set(writes)].sort()).toEqual(
      [...Object.keys(CONFIRMED_WRITES), ...Object.keys(UNCONFIRMED_WRITES)].sort(),
    );
    expect(Object.keys(CONFIRMED_WRITES).filter((write) => write in UNCONFIRMED_WRITES)).toEqual([]);
  });
  it.each(Object.entries(CONFIRMED_WRITES))('%s is asked about by the one mechanism', (_write, asker) => {
    expect(read(asker)).toMatch(/confirmAct\(modal, \{|<Consequences of=/);
  });
  it('are asked about in no other way', () => {
    expect(files.filter((file) => /modal\.confirm\(|Popconfirm|Modal\.confirm\(/.test(read(file)))).toEqual(
      OTHER_QUESTIONS,
    );
  });
  it('of money that is spread over open items show first what they settle', () => {
    expect(read('engine/pickers/SourceSpread.tsx')).toMatch(/onSpread\(chosen\)/);
    expect(read('engine/pickers/SourceSpread.tsx')).not.toMatch(/onSpread\((allocate|offset)/);
  });
});
