/** The shell's root: locale, colours, server state, and the choice between login page and shell. */
import { QueryClientProvider } from '@tanstack/react-query';
import { App as Messages, ConfigProvider, Spin } from 'antd';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';
import { lazy, Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { deferred } from '@/lib/deferred';
import { followDialogs } from '@/lib/dialogFocus';
import { followWidth } from '@/lib/rootFont';
import { getSession } from '@/lib/session';
import { Notices } from './Notices';
import { queries } from './queries';
import { useSession } from './session';
import { SessionGuard } from './SessionGuard';
import { applyTheme, storedTheme, themeShown } from './theme';
import './global.css';

dayjs.locale('zh-cn');
applyTheme(storedTheme());
followWidth();
followDialogs();
const theme = themeShown();

const PayCenter = lazy(() => import('./PayCenter'));
const SurveyPage = lazy(() => import('./survey/SurveyPage'));
const LoginPage = deferred(() => import('./login/LoginPage'));
const Shell = deferred(() => import('./Shell'));

/** Brings in what the address will show; drawn before that, React would hold it back. */
export async function prepare(): Promise<void> {
  const session = getSession();
  if (session === null) await LoginPage.preload();
  else (await Shell.preload()).warm(session, location);
}

function Entry() {
  return <Navigate to={useSession() ? '/home' : '/login'} replace />;
}

export function App() {
  return (
    <ConfigProvider locale={zhCN} componentSize="small" theme={theme} button={{ autoInsertSpace: false }}>
      <Messages style={{ height: '100%' }} message={{ maxCount: 2, top: 3 }}>
        <QueryClientProvider client={queries}>
          <BrowserRouter>
            <Notices />
            <Suspense fallback={<Spin fullscreen size="large" />}>
              <Routes>
                <Route path="/" element={<Entry />} />
                <Route path="/login" element={<LoginPage />} />
                <Route path="/placeholder/paycenter" element={<PayCenter />} />
                <Route path="/survey/collect" element={<SessionGuard>{() => <SurveyPage />}</SessionGuard>} />
                <Route path="*" element={<SessionGuard>{(session) => <Shell session={session} />}</SessionGuard>} />
              </Routes>
            </Suspense>
          </BrowserRouter>
        </QueryClientProvider>
      </Messages>
    </ConfigProvider>
  );
}
