import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from 'chai'
import { type Expression, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isAsExpression,
  isBinaryExpression,
  isCaseClause,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isSwitchStatement,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Project, type Type } from 'typescript/unstable/sync'
import { REASONS } from '../common/api/reasons.ts'

/** Where the words of reasons may be asked: they are told to people there, or the reason itself is what was found. */
const MAY_ASK = ['common/describe/', 'controller/report/', 'common/analysis/', 'common/api/reasons.ts']

const SOURCES = globSync('{common,controller,webhook}/**/*.ts')
  .filter((file) => !MAY_ASK.some((place) => file.startsWith(place)))
  .sort()

const COMPARING: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
])
const ASKING = ['includes', 'has', 'indexOf']

/** The one reason that a value of `type` is; undefined if it may be another word. */
const wordOf = (type: Type | undefined): string | undefined =>
  type?.isStringLiteralType() && Object.hasOwn(REASONS, type.value) ? type.value : undefined

/** Whether a value of `type` is one of several reasons, or any text. The words of another list, as phases, are none. */
function mayBeReason(type: Type | undefined, checker: Checker): boolean {
  const present = type && checker.getNonNullableType(type)
  if (present?.isUnionType()) return present.getTypes().every((each) => wordOf(each) !== undefined)
  return present !== undefined && present.id === checker.getStringType().id
}

/** Both values of each comparison. */
function comparisonsIn(node: Node): readonly (readonly [Expression, Expression])[] {
  if (isBinaryExpression(node) && COMPARING.has(node.operatorToken.kind)) return [[node.left, node.right]]
  if (!isSwitchStatement(node)) return []
  return node.caseBlock.clauses.filter(isCaseClause).map((clause) => [node.expression, clause.expression])
}

function elementsOf(node: Node | undefined): readonly Expression[] {
  if (!node) return []
  if (isAsExpression(node)) return elementsOf(node.expression)
  return isArrayLiteralExpression(node) ? [...node.elements] : []
}

/** What a set holds, or an array that is asked whether it has something. `asked`: the names of what is asked that. */
function heldBy(node: Node, asked: ReadonlySet<string>): readonly Expression[] {
  if (isNewExpression(node)) return elementsOf(node.arguments?.[0])
  if (isPropertyAccessExpression(node)) return ASKING.includes(node.name.text) ? elementsOf(node.expression) : []
  const isAsked = isVariableDeclaration(node) && isIdentifier(node.name) && asked.has(node.name.text)
  return isAsked ? elementsOf(node.initializer) : []
}

function nodesOf(file: SourceFile): readonly Node[] {
  const nodes: Node[] = []
  const visit = (node: Node): void => {
    nodes.push(node)
    node.forEachChild((child) => visit(child))
  }
  visit(file)
  return nodes
}

/** Where a file depends on the words of reasons: `common/x.ts:7 Updating`. */
function wordsIn(name: string, { program, checker }: Project): readonly string[] {
  const file = program.getSourceFile(resolve(name))
  if (!file) throw new Error(`${name} is not in the project`)
  const nodes = nodesOf(file)
  const asked = new Set(
    nodes.flatMap((node) =>
      isPropertyAccessExpression(node) && ASKING.includes(node.name.text) && isIdentifier(node.expression)
        ? [node.expression.text]
        : [],
    ),
  )
  const place = (node: Node) => `${name}:${file.text.slice(0, node.getStart(file)).split('\n').length}`
  return nodes.flatMap((node) => {
    const compared = comparisonsIn(node).flatMap((pair) => {
      const types = checker.getTypeAtLocation(pair)
      const [left, right] = types.map(wordOf)
      const word = left ?? right
      return word !== undefined && mayBeReason(types[left === undefined ? 0 : 1], checker) ? [word] : []
    })
    const elements = heldBy(node, asked)
    const held = elements.length === 0 ? [] : checker.getTypeAtLocation(elements).map(wordOf) // each call is a message
    const words = [...compared, ...(held.includes(undefined) ? [] : held)]
    return words.map((word) => `${place(node)} ${word}`)
  })
}

describe('the words of reasons', () => {
  it('decide nothing: what code depends on is a member of a union, or an attribute of the reason', function () {
    this.timeout(120_000)
    const api = new API()
    try {
      const [project] = api.updateSnapshot({ openProjects: [resolve('tsconfig.json')] }).getProjects()
      if (!project) throw new Error('there is no project')
      expect(SOURCES.flatMap((name) => wordsIn(name, project))).to.deep.equal([])
    } finally {
      api.close()
    }
  })
})
