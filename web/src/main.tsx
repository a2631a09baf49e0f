import 'virtual:antd.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, preloadFirstPage } from './app/App';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const page = createRoot(root);
void preloadFirstPage().finally(() => {
  page.render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
});
