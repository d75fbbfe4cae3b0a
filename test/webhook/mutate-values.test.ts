import { expect } from 'chai'
import { COMMAND, COMMAND_SAW } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { parseSaw } from '../../common/strategy/command-text.ts'
import { mutator } from '../../webhook/mutate.ts'
import { aDeployment, anExperiment, imageOverride } from '../builders.ts'
import { aReader, aRequest } from './reviews.ts'
import { depsOf } from './under-policies.ts'

describe('what the author of a command sees in the source', () => {
  const experiment = anExperiment({ strategy: { canary: {} }, overrideSpec: imageOverride('example/cart:2') })
  const oldObject = { ...experiment, status: { strategy: { stepIndex: 1, revision: '1f2e3d4c5b' } } }
  /** What is written beside `command`, and which paths were read for it. */
  async function saw(command: string, world: readonly KubeObject[]) {
    const { kube, asked } = aReader(world)
    const metadata = { ...experiment.metadata, annotations: { [COMMAND]: command } }
    const answer = await mutator({ ...depsOf({}), kube })(aRequest({ object: { ...oldObject, metadata }, oldObject }))
    const path = `/metadata/annotations/${COMMAND_SAW.replaceAll('/', '~1')}`
    const written = (answer.allowed ? (answer.patch ?? []) : []).find((operation) => at(operation, 'path') === path)
    return { values: parseSaw(String(at(written, 'value')))?.values, asked }
  }

  it('N12: is a hash of the values that promote writes over, as they are now', async () => {
    const [one, other] = [await saw('promote', [aDeployment()]), await saw('promote', [aDeployment({ image: 'a:9' })])]
    expect(one.values).to.match(/^[0-9a-f]{64}$/)
    expect(other.values).to.match(/^[0-9a-f]{64}$/)
    expect(other.values).to.not.equal(one.values)
    expect((await saw('promote step=2', [aDeployment()])).values).to.equal(one.values)
  })

  it('N12: is left out where the source cannot be read, and the command is stamped all the same', async () =>
    expect((await saw('promote', [])).values).to.equal(undefined))

  it('N12: is read for promote only', async () => {
    const { values, asked } = await saw('resume', [aDeployment()])
    expect([values, asked]).to.deep.equal([undefined, []])
  })
})
