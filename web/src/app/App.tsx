/** The shell's root: locale, colours, server state, and the choice between login page and shell. */
import { QueryClientProvider } from '@tanstack/react-query';
import { App as Messages, ConfigProvider, Spin } from 'antd';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';
import { lazy, Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { lazyWithPreload } from '@/lib/lazyWithPreload';
import { watchDialogFocus } from '@/lib/dialogFocus';
import { watchRootFont } from '@/lib/rootFont';
import { getSession } from '@/lib/session';
import { Notices } from './Notices';
import { queryClient } from './queries';
import { useSession } from './session';
import { SessionGuard } from './SessionGuard';
import { applyTheme, readStoredTheme, resolveTheme } from './theme';
import './global.css';

dayjs.locale('zh-cn');
applyTheme(readStoredTheme());
watchRootFont();
watchDialogFocus();
const theme = resolveTheme();

const PayCenter = lazy(() => import('./PayCenter'));
const SurveyPage = lazy(() => import('./survey/SurveyPage'));
const LoginPage = lazyWithPreload(() => import('./login/LoginPage'));
const Shell = lazyWithPreload(() => import('./Shell'));

/** Brings in what the address will show; drawn before that, React would hold it back. */
export async function preloadFirstPage(): Promise<void> {
  const session = getSession();
  if (session === null) await LoginPage.preload();
  else (await Shell.preload()).prefetchShell(session, location);
}

function EntryRedirect() {
  return <Navigate to={useSession() ? '/home' : '/login'} replace />;
}

export function App() {
  return (
    <ConfigProvider locale={zhCN} componentSize="small" theme={theme} button={{ autoInsertSpace: false }}>
      <Messages style={{ height: '100%' }} message={{ maxCount: 2, top: 3 }}>
        <QueryClientProvider client={queryClient}>
          <BrowserRouter>
            <Notices />
            <Suspense fallback={<Spin fullscreen size="large" />}>
              <Routes>
                <Route path="/" element={<EntryRedirect />} />
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
