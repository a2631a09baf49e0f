/** Draws the screen the server describes for a route. */
export interface ScreenPageProps {
  route: string;
  params: Record<string, string>;
}

export default function ScreenPage({ route }: ScreenPageProps) {
  return <main>{route}</main>;
}
