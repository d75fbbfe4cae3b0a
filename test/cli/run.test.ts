import { expect } from 'chai'
import { aPlugin } from './a-plugin.ts'

/** The words of a call, its exit code, and the first line of what it says. */
const MISUSES: readonly (readonly [words: string, first: string])[] = [
  ['get -A faster-cart', '--all-namespaces: one experiment is in one namespace'],
  ['get -l a=b faster-cart', '--selector a=b: one experiment needs no labels'],
  [
    'get -o table',
    "option '-o, --output <form>' argument 'table' is invalid. Allowed choices are wide, json, yaml, name.",
  ],
  ['get a b', 'too many arguments'],
  ['create cart --steps 110%', '--steps 110%: entry 1, "110%": a weight is from 0% to 100%'],
  ['create cart --ttl 5', '--ttl 5: no duration'],
  ['create cart --env X', '--env X: no "=" after "X"'],
  ['create cart --image Cart', '--image Cart: "Cart" is no image after the flag'],
  ['create cart --replicas=-1', '--replicas -1: no such number'],
  ['create cart --analysis=a,,b', '--analysis=a,,b: an empty name'],
  ['create daemonset/cart', 'daemonset/cart: no kind "daemonset" that can be a source'],
  ['create', "missing required argument 'SOURCE'"],
  ['status faster-cart --for soon', '--for soon: no goal'],
  ['status faster-cart --for step=0', '--for step 0: no such number'],
  ['status faster-cart --timeout 5', '--timeout 5: no duration'],
  ['pause faster-cart --revision 1', "unknown option '--revision'"],
  ['resum faster-cart', "unknown command 'resum'"],
  ['get --wacth', "unknown option '--wacth'"],
  ['help wacth', "unknown command 'wacth'"],
  ['get --tokn=secret', "unknown option '--tokn'"],
  ['get --bad\u001b[2J', "unknown option '--bad\\u001b[2J'"],
]

describe('a call of the plugin', () => {
  for (const [words, first] of MISUSES)
    it(`ends with 2 and a line that says what to do, and sends nothing: ${words}`, async () => {
      const { run, cluster, connected } = aPlugin()
      const { code, out, err } = await run(...words.split(' '))
      const [line = '', remedy = '', ...more] = err.split('\n')
      expect([code, out]).to.deep.equal([2, ''])
      expect(line).to.match(new RegExp(`^error: ${RegExp.escape(first)}`))
      expect(remedy).to.match(/^[A-Z]/)
      expect(more).to.deep.equal([''])
      expect([cluster.requests, connected]).to.deep.equal([[], []])
    })

  it('repeats no value that may be secret', async () => {
    for (const words of [
      ['get', "--tokn=a\nb'c"],
      ['create', 'cart', '--env', ':TOKEN=abc'],
    ]) {
      const { code, err } = await aPlugin().run(...words)
      expect(code).to.equal(2)
      expect(err).to.not.match(/a\n|b'c|abc/)
    }
  })

  it('suggests what was meant', async () => {
    expect((await aPlugin().run('resum', 'x')).err).to.contain('Did you mean resume? See: kubectl experiment --help\n')
  })

  it('without words explains the commands', async () => {
    const { code, out, err } = await aPlugin().run()
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.contain('promote').and.contain('Usage: kubectl experiment COMMAND')
  })
})
