/** The folders of `examples` with a strategy, and the step at which each run first waits, or ends. */
export const FOLDERS: Readonly<Record<string, { readonly name: string; readonly step: string }>> = {
  'small-share': { name: 'careful-cart', step: '1/7 Paused' },
  'growing-share': { name: 'growing-cart', step: '1/6 Paused' },
  'rolling-update': { name: 'rolling-cart', step: '3/3 Promoted' },
  gated: { name: 'gated-cart', step: '0/6 Paused' },
  'blue-green': { name: 'green-cart', step: '2/10 Paused' },
}
