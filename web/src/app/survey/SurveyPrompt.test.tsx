import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { okAnswer, pressButton, renderPage } from '@/engine/harness';
import SurveyPrompt from './SurveyPrompt';

const LIST = 'v2/open/Questionnaire/getQuestionnaireList';
const STATUS = 'v2/open/Survey/getSatisfactionStatus';
const questions = [{ name: 'q7', question: '您的意见和建议', kind: 'text', options: [], other: false }];
const item = {
  id: 5,
  questionnaire_id: 5,
  questionnaire_hash: 'h',
  questionnaire_title: '配送问卷',
  show_msg: '邀请您填写配送问卷',
  expire_time: '',
  jump_url: '',
};

let done = () => {};
afterEach(() => {
  done();
  vi.unstubAllGlobals();
});

describe('the customer survey prompt of a service station', () => {
  it('leads to the customer satisfaction survey form', async () => {
    const saved = 'v2/open/Survey/save';
    const view = renderPage(<SurveyPrompt route="/home" wait={false} />, {
      [LIST]: () => okAnswer([]),
      [STATUS]: () => okAnswer({ status: 1, questions }),
      [saved]: () => ({ code: 200, msg: '感谢您的填写', data: null }),
    });
    done = view.done;
    await screen.findByText('邀请您填写客户满意度调查');
    await pressButton('去填写');
    expect(await screen.findByText('客户满意度调查')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('您的意见和建议'), { target: { value: '继续努力' } });
    await pressButton('提交');
    // "Survey or logout success: the server message is shown."
    await waitFor(() => expect(view.told.at(-1)).toMatchObject({ level: 'success', msg: '感谢您的填写' }));
  });

  it('A survey without questionnaire_id gives the warning questionnaire_id 不能为空!', async () => {
    const view = renderPage(<SurveyPrompt route="/home" wait={false} />, {
      [LIST]: () => okAnswer([item]),
      [STATUS]: () => okAnswer({ status: 0, questions }),
      'v2/open/Survey/createJumpNewUrl': () => ({ code: 400, msg: 'questionnaire_id 不能为空!', data: null }),
    });
    done = view.done;
    await pressButton('去填写');
    await waitFor(() =>
      expect(view.told.at(-1)).toMatchObject({ level: 'warning', msg: 'questionnaire_id 不能为空!' }),
    );
  });

  it('shows at most once per user per day per survey', async () => {
    const routes = { [LIST]: () => okAnswer([item]), [STATUS]: () => okAnswer({ status: 1, questions }) };
    for (const text of ['邀请您填写配送问卷', '邀请您填写客户满意度调查']) {
      const view = renderPage(<SurveyPrompt route="/home" wait={false} />, routes);
      await screen.findByText(text);
      view.unmount();
    }
    const view = renderPage(<SurveyPrompt route="/home" wait={false} />, routes);
    done = view.done;
    await waitFor(() => expect(view.calls).toHaveLength(2));
    await new Promise((settle) => setTimeout(settle, 50));
    expect(screen.queryByText('去填写')).toBeNull();
  });
});
