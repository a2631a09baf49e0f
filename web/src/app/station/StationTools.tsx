/** Tools in the header of a service station. */
import { SettingOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import type { Session } from '@/lib/session';
import { useTabs } from '@/lib/tabs';
import { InitialisationEntry } from '../initialisation/InitialisationEntry';
import { BroadcastToggle } from './BroadcastToggle';
import { DownloadPopover } from './DownloadPopover';
import { ShoppingCartEntry } from './ShoppingCartEntry';
import { StationBadges } from './StationBadges';
import { SuperStation } from './SuperStation';
import { VersionSwitch } from './VersionSwitch';

/** On a phone the counts stand on the home page; the header keeps the cart and the voice. */
export default function StationTools({ session, narrow }: { session: Session; narrow: boolean }) {
  const tabs = useTabs();
  const cart = <ShoppingCartEntry />;
  const voice = <BroadcastToggle userId={session.user_id} />;
  if (narrow) {
    return (
      <>
        {cart}
        {voice}
      </>
    );
  }
  return (
    <>
      <InitialisationEntry />
      <SuperStation />
      <StationBadges companyId={session.company_id} />
      {cart}
      {voice}
      <DownloadPopover />
      <VersionSwitch key={session.system.operatingVersion} version={session.system.operatingVersion} />
      <Tooltip title="签约设置">
        <Button
          type="text"
          size="middle"
          icon={<SettingOutlined />}
          aria-label="签约设置"
          onClick={() => tabs.open('/shopping_mall/plusSetting', '签约设置')}
        />
      </Tooltip>
    </>
  );
}
