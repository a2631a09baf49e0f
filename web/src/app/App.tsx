/** The shell's root: locale, colours, server state and routes. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ConfigProvider } from 'antd';
import zhCN from 'antd/locale/zh_CN';
import dayjs from 'dayjs';
import 'dayjs/locale/zh-cn';
import { lazy, Suspense } from 'react';
import { BrowserRouter, useLocation } from 'react-router';

dayjs.locale('zh-cn');

const ScreenPage = lazy(() => import('@/engine/ScreenPage'));
const queries = new QueryClient();

function Page() {
  const { pathname, search } = useLocation();
  return <ScreenPage route={pathname} params={Object.fromEntries(new URLSearchParams(search))} />;
}

export function App() {
  return (
    <ConfigProvider locale={zhCN} componentSize="small" theme={{ token: { colorPrimary: '#409EFF' } }}>
      <QueryClientProvider client={queries}>
        <BrowserRouter>
          <Suspense fallback={null}>
            <Page />
          </Suspense>
        </BrowserRouter>
      </QueryClientProvider>
    </ConfigProvider>
  );
}
