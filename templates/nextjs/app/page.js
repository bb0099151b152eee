'use client';

import { useEffect, useState } from 'react';

function request(path, body) {
  const headers = { authorization: `Bearer ${location.hash.slice(1)}`, 'content-type': 'application/json' };
  const options = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  return fetch(path, options);
}

export default function Page() {
  const [prompt, setPrompt] = useState('Tell Bob where his order is');
  const [answer, setAnswer] = useState('');
  const [pending, setPending] = useState([]);

  useEffect(() => {
    async function refresh() {
      const response = await request('/api/approvals');
      setPending(response.ok ? await response.json() : []);
    }
    const timer = setInterval(() => void refresh(), 1000);
    return () => clearInterval(timer);
  }, []);

  async function send(event) {
    event.preventDefault();
    setAnswer('Working…');
    setAnswer(await (await request('/api/chat', { prompt })).text());
  }

  return (
    <main>
      <form onSubmit={send}>
        <input value={prompt} size={50} onChange={(event) => setPrompt(event.target.value)} /> <button>Send</button>
      </form>
      {pending.map(({ id, call, question }) => (
        <section key={id}>
          <pre>{`${question}\n${call}`}</pre>
          <button onClick={() => request(`/api/approvals/${id}`, { approve: true })}>Approve</button>{' '}
          <button onClick={() => request(`/api/approvals/${id}`, { approve: false })}>Deny</button>
        </section>
      ))}
      <pre>{answer}</pre>
    </main>
  );
}
