export default function HomePage() {
  return <h1>主页</h1>;
}
