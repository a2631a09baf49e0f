import { useMutation } from '@tanstack/react-query';
import { api } from '../../lib/api';
import { reportError } from '../../lib/errors';
import { useTabs } from '../../lib/tabs';

/** A bill's number, which leads to the bill. Where that stands is asked once it is wanted: a column may have thousands. */
export function BillNumber({ no }: { no: string }) {
  const tabs = useTabs();
  const lead = useMutation({
    mutationFn: () => api.get<{ route: string }>('v2/open/BillAddress/getAddress', { bill_no: no }),
    onSuccess: ({ route }) => tabs.open(route, no),
    onError: reportError,
  });
  return (
    <a
      onClick={(event) => {
        event.stopPropagation();
        lead.mutate();
      }}
    >
      {no}
    </a>
  );
}
