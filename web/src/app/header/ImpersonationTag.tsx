/** 模拟登录: shows that somebody acts for the user, and ends the impersonation. */
import { useMutation } from '@tanstack/react-query';
import { Button, Tag } from 'antd';
import { reportError } from '@/lib/errors';
import { endImpersonation } from '@/lib/impersonation';
import { clearTabs } from '../tabs/tabStore';

export function ImpersonationTag({ imitator }: { imitator: string }) {
  const end = useMutation({ mutationFn: endImpersonation, onSuccess: clearTabs, onError: reportError });
  return (
    <Tag color="warning">
      模拟登录，操作人：{imitator}
      <Button type="link" size="small" loading={end.isPending} onClick={() => end.mutate()}>
        结束模拟
      </Button>
    </Tag>
  );
}
