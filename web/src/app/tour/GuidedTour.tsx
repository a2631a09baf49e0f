/** 新手引导: walks through the parts of the shell that are on screen. */
import { Tour } from 'antd';
import { useState } from 'react';
import { stops } from './steps';

export default function GuidedTour({ onEnd }: { onEnd: () => void }) {
  const [steps] = useState(() =>
    stops.flatMap(({ target, ...told }) => {
      const element = document.querySelector<HTMLElement>(target);
      return element ? [{ ...told, target: () => element }] : [];
    }),
  );
  return <Tour open steps={steps} onClose={onEnd} onFinish={onEnd} />;
}
