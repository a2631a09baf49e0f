import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

/**
 * Every write of the web shell is here: what no click takes back with the file that asks about it, which shows what it
 * will change, for whom, and how to undo it; the others with why nobody is asked. A new write that is not listed fails.
 */

const ROOT = join(import.meta.dirname, '..');
const FORM = 'the form shows what is saved';
const LOOK = 'changes nothing';
const OWN = 'the user’s own, changed back as easily';

const ASKED: Record<string, string> = {
  'app/initialisation/InitialisationDialog.tsx open/Initialization/skip': 'app/initialisation/InitialisationDialog.tsx',
  'engine/actions.tsx ${screen.api}/${action.name}': 'engine/actions.tsx',
  'lib/imitation.ts v2/system/ImitateLogin/imitate': 'screens/access/ImitatePage.tsx',
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

const PLAIN: Record<string, string> = {
  'app/ChangePassword.tsx v2/system/User/changePassword': FORM,
  'app/FirstPassword.tsx repo_logout': OWN,
  'app/header/UserMenu.tsx repo_logout': OWN,
  'app/login/LoginPage.tsx v2/user/Login/login': OWN,
  'app/notices/ReminderDialog.tsx v2/open/Message/setPopUpLog': OWN,
  'app/notices/queries.ts v2/open/Message/readUserMessage': OWN,
  'app/station/BroadcastToggle.tsx v2/open/BroadcastVoice/setIsBroadcast': OWN,
  'app/station/VersionSwitch.tsx v2/open/User/serviceStationSetUpVersion': OWN,
  'app/survey/SatisfactionDialog.tsx v2/open/Survey/save': FORM,
  'app/survey/SurveyPage.tsx v2/open/Questionnaire/saveQuestionnaireAnswer': FORM,
  'engine/actions.tsx ${screen.api}/getConsequence': LOOK,
  'engine/form/FillButtons.tsx ${screen.api}/${filling.name}': 'what is read fills in empty fields of a form that is saved afterwards',
  'engine/form/useSave.ts path': FORM,
  'engine/lines/ProposalButton.tsx proposal.api': LOOK,
  'engine/list/useExport.ts ${screen.api}/export': LOOK,
  'engine/print/printCalls.ts ${LABELS}/print': LOOK,
  'engine/print/printCalls.ts ${screen.api}/print': LOOK,
  'engine/print/printCalls.ts ${screen.api}/printTask': LOOK,
  'engine/upload/UploadField.tsx REMOVE': FORM,
  'engine/upload/UploadField.tsx UPLOAD': FORM,
  'engine/upload/uploadSheet.ts path': 'a preview of the sheet is shown first',
  'lib/imitation.ts v2/user/Login/endImitate': OWN,
  'lib/preferences.ts v2/open/UserPreference/del': OWN,
  'lib/preferences.ts v2/open/UserPreference/save': OWN,
  'reports/ExplorePage.tsx ${screen.api}/explore': LOOK,
  'reports/boards/boards.ts ${PREFIX}/open': LOOK,
  'reports/frameQuery.ts v2/report/Frame/getGuestToken': LOOK,
  'reports/reportExport.ts v2/report/Frame/export': LOOK,
  'screens/BackupPage.tsx ${screen.api}/backup': LOOK,
  'screens/CostRecalculationPage.tsx ${screen.api}/getConsequence': LOOK,
  'screens/MonthClosePage.tsx ${screen.api}/getConsequence': LOOK,
  'screens/NumberTemplatePage.tsx ${screen.api}/preview': LOOK,
  'screens/NumberTemplatePage.tsx ${screen.api}/save': 'the form shows an example of the numbers to come',
  'screens/SmsBillPage.tsx ${PATH}/sendSms': 'the form shows the number and the text that is sent',
  'screens/access/UserDialog.tsx ${screen.api}/save': FORM,
  'screens/messages/AnnouncementEdit.tsx v2/system/MessageLog/save': 'the form shows text and audience; it can be withdrawn',
  'screens/money/CheckstandPage.tsx ${screen.api}/collect': 'the form shows what is settled and received',
  'screens/printing/setupCalls.ts ${PATH}/addPrint': FORM,
  'screens/printing/setupCalls.ts ${PATH}/preview': LOOK,
  'screens/printing/setupCalls.ts ${PATH}/setDefault': 'another may be chosen as easily',
};

/** Questions that are no acts: the server asks (362, 363), a date may be a slip, leaving. */
const QUESTIONS = ['app/header/UserMenu.tsx', 'engine/asking.tsx', 'engine/confirming.tsx', 'engine/form/datedAhead.ts'];

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
  [...read(file).matchAll(/api\.(?:post|tell|upload)(?:<[^(]*>)?\(\s*([`'][^`']*[`']|\w+(?:\.\w+)?)/g)].map(([, path]) => `${file} ${path!.replace(/[`']/g, '')}`),
);

describe('the writes of the web shell', () => {
  it('are asked about, or say why not', () => {
    expect([...new Set(writes)].sort()).toEqual([...Object.keys(ASKED), ...Object.keys(PLAIN)].sort());
    expect(Object.keys(ASKED).filter((write) => write in PLAIN)).toEqual([]);
  });
  it.each(Object.entries(ASKED))('%s is asked about by the one mechanism', (_write, asker) => {
    expect(read(asker)).toMatch(/confirmAct\(modal, \{|<Consequences of=/);
  });
  it('are asked about in no other way', () => {
    expect(files.filter((file) => /modal\.confirm\(|Popconfirm|Modal\.confirm\(/.test(read(file)))).toEqual(QUESTIONS);
  });
  it('of money that is spread over open items show first what they settle', () => {
    expect(read('engine/pickers/SourceSpread.tsx')).toMatch(/onSpread\(chosen\)/);
    expect(read('engine/pickers/SourceSpread.tsx')).not.toMatch(/onSpread\((allocate|offset)/);
  });
});
