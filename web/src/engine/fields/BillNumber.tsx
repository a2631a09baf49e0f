import { useMutation } from '@tanstack/react-query';
import { api } from '../../lib/api';
import { reportError } from '../../lib/errors';
import { LinkButton } from '../../lib/LinkButton';
import { useQuery } from '../../lib/query';
import { useTabs } from '../../lib/tabs';
import { openPrefixesQuery } from '../queries';

/** A bill's number, which leads to the bill where the role may open such bills. Where it stands is asked once it is wanted: a column may have thousands. */
export function BillNumber({ no }: { no: string }) {
  const tabs = useTabs();
  const { data: prefixes } = useQuery(openPrefixesQuery());
  const lead = useMutation({
    mutationFn: () => api.get<{ route: string }>('v2/open/BillAddress/getAddress', { bill_no: no }),
    onSuccess: ({ route }) => tabs.open(route, no),
    onError: reportError,
  });
  if (prefixes && !prefixes.includes(/^[A-Z]*/.exec(no)![0])) return no;
  return (
    <LinkButton
      onClick={(event) => {
        event.stopPropagation();
        lead.mutate();
      }}
    >
      {no}
    </LinkButton>
  );
}
