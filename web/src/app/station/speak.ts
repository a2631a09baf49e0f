/** Says a text aloud: by the browser's own voice, else by the recorded sound. */

function findChineseVoice(): SpeechSynthesisVoice | undefined {
  if (!('speechSynthesis' in window)) return undefined;
  return window.speechSynthesis.getVoices().find((voice) => voice.lang.toLowerCase().startsWith('zh'));
}

/** Rejects with NotAllowedError when the browser wants a gesture of the user first. */
export async function speakText(content: string, soundUrl: string): Promise<void> {
  // Even the own voice needs the gesture, but stays silent without saying so; the sound tells.
  await new Audio(soundUrl).play();
  const voice = findChineseVoice();
  if (voice === undefined || content === '') return;
  const utterance = new SpeechSynthesisUtterance(content);
  utterance.voice = voice;
  utterance.lang = voice.lang;
  window.speechSynthesis.speak(utterance);
}

export function isBlocked(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotAllowedError';
}
