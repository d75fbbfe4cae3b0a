import { expect } from 'chai'
import { isAbsent } from '../../../../common/kube/client/discovery.ts'

const ROLLOUTS = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts' }

const groups = (...versions: readonly string[]) => ({
  kind: 'APIGroupList',
  groups: [
    { name: 'apps', versions: [{ version: 'v1' }] },
    { name: 'argoproj.io', versions: versions.map((version) => ({ version })) },
  ],
})
const kinds = (...plurals: readonly string[]) => ({
  kind: 'APIResourceList',
  resources: plurals.map((name) => ({ name })),
})

/** Whether Rollouts are absent where the API server answers so, and the paths that were read. */
async function absence(answers: Readonly<Record<string, unknown>>, asked: Parameters<typeof isAbsent>[0] = ROLLOUTS) {
  const read: string[] = []
  const is = await isAbsent(asked, async (path) => {
    read.push(path)
    return answers[path]
  }).catch((error: Error) => error.message)
  return { is, read }
}

describe('isAbsent', () => {
  const GROUPS = '/apis'
  const KINDS = '/apis/argoproj.io/v1alpha1'
  const cases: Record<string, readonly [answers: Readonly<Record<string, unknown>>, expected: boolean | string]> = {
    'is true where no group has that name': [{ [GROUPS]: { kind: 'APIGroupList', groups: [] } }, true],
    'is true where the group has other versions only': [{ [GROUPS]: groups('v1beta1') }, true],
    'is true where the version has other kinds only': [
      { [GROUPS]: groups('v1alpha1'), [KINDS]: kinds('workflows') },
      true,
    ],
    'is false where the kind is listed': [{ [GROUPS]: groups('v1alpha1'), [KINDS]: kinds('rollouts') }, false],
    'throws where the list of groups is something else': [
      { [GROUPS]: { kind: 'Pod' } },
      'the response of /apis is not a list of groups',
    ],
    'throws where the list of kinds is something else': [
      { [GROUPS]: groups('v1alpha1'), [KINDS]: {} },
      'the response of an API version is not a list of kinds',
    ],
  }
  for (const [sentence, [answers, expected]] of Object.entries(cases))
    it(sentence, async () => expect((await absence(answers)).is).to.equal(expected))

  it('is false for the core group, without a request', async () => {
    const { is, read } = await absence({}, { group: '', version: 'v1', plural: 'services' })
    expect([is, read]).to.deep.equal([false, []])
  })

  it('is false for a path that names no resource, without a request', async () => {
    const read: string[] = []
    expect(await isAbsent(undefined, async (path) => read.push(path))).to.equal(false)
    expect(read).to.deep.equal([])
  })
})
