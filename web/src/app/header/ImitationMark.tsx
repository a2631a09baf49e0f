/** 模拟登录: says that somebody acts for the user, and goes back to his own session. */
import { useMutation } from '@tanstack/react-query';
import { Button, Tag } from 'antd';
import { reportError } from '@/lib/errors';
import { endImitation } from '@/lib/imitation';
import { forgetTabs } from '../tabs/tabStore';

export function ImitationMark({ imitator }: { imitator: string }) {
  const end = useMutation({ mutationFn: endImitation, onSuccess: forgetTabs, onError: reportError });
  return (
    <Tag color="warning">
      模拟登录，操作人：{imitator}
      <Button type="link" size="small" loading={end.isPending} onClick={() => end.mutate()}>
        结束模拟
      </Button>
    </Tag>
  );
}
