/** 新手引导: walks through the parts of the shell that are on screen. */
import { Tour } from 'antd';
import { useState } from 'react';
import { TOUR_STOPS } from './steps';

export default function GuidedTour({ onEnd }: { onEnd: () => void }) {
  const [steps] = useState(() =>
    TOUR_STOPS.flatMap(({ target, ...stop }) => {
      const element = document.querySelector<HTMLElement>(target);
      return element ? [{ ...stop, target: () => element }] : [];
    }),
  );
  return <Tour open steps={steps} onClose={onEnd} onFinish={onEnd} />;
}
