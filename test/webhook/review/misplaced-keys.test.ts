import { expect } from 'chai'
import type { AdmissionRequest } from '../../../webhook/review/admission-review.ts'
import { misplacedKeys } from '../../../webhook/review/misplaced-keys.ts'

const P = 'experiment-controller.example.com/'

type Keys = Readonly<Record<string, string>>

/** What is said of a request that leaves these keys, and found `before`. */
const said = (metadata: { annotations?: Keys; labels?: Keys }, before?: { annotations?: Keys; labels?: Keys }) =>
  misplacedKeys({
    namespace: 'shop',
    object: { metadata: { name: 'cart', namespace: 'shop', ...metadata } },
    ...(before ? { operation: 'UPDATE', oldObject: { metadata: before } } : { operation: 'CREATE' }),
  } as unknown as AdmissionRequest).map(({ reason, message }) => `${reason} ${message}`)

describe('keys of an experiment that do nothing', () => {
  it('N26: are misspelt names, and the group in place of the prefix', () => {
    const meant = (key: string) => `LikelyMistake annotation ${key}: does nothing; did you mean ${P}command?`
    for (const key of [
      `${P}comand`,
      'experimentcontroller.example.com/command',
      'experimentcontroller.example.com/comand',
    ])
      expect(said({ annotations: { [key]: 'resume' } })).to.deep.equal([meant(key)])
  })

  it('N26: are commands in labels', () => {
    const command = `kubectl annotate --overwrite expd/cart --namespace=shop ${P}command=`
    const label = (key: string) => `LikelyMistake label ${key}: does nothing; a command is an annotation: ${command}`
    expect(said({ labels: { [`${P}command`]: 'resume' } })).to.deep.equal([`${label(`${P}command`)}resume`])
    expect(said({ labels: { [`${P}comand`]: 'no-command' } })).to.deep.equal([`${label(`${P}comand`)}COMMAND`])
  })

  it('are none of ours, of others, or that were there before', () => {
    expect(
      said({ annotations: { [`${P}command`]: 'resume', command: 'a', 'other.example.com/comand': 'a' } }),
    ).to.deep.equal([])
    expect(said({ labels: { app: 'cart', [`${P}team`]: 'a' } })).to.deep.equal([])
    const stored = { annotations: { [`${P}comand`]: 'resume' } }
    expect(said(stored, stored)).to.deep.equal([])
  })

  it('are three at most', () => {
    const many = Object.fromEntries(['comand', 'commnd', 'comamnd', 'commmand'].map((name) => [`${P}${name}`, 'a']))
    expect(said({ annotations: many })).to.have.length(3)
  })
})
