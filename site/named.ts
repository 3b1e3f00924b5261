/**
 * A plugin of TypeDoc: of the types that no entry exports, it leaves those in the site that public signatures name, at
 * first or second hand. typedoc-plugin-missing-exports, which brings them, brings those of private fields as well.
 */
import {
  type Application,
  Converter,
  makeRecursiveVisitor,
  type ProjectReflection,
  type Reflection,
  ReflectionKind,
  type SomeType,
} from 'typedoc';

/** TypeDoc loads what has this name. */
export function load({ converter, options }: Application): void {
  const leaveNamed = ({ project }: { readonly project: ProjectReflection }): void => {
    const modules = project
      .getReflectionsByKind(ReflectionKind.Module)
      .filter(({ name }) => name === options.getValue('internalModule'));
    const reached = new Set<Reflection>(modules);
    reach(project, modules, reached);
    const brought = modules.flatMap((it) => (it.isDeclaration() ? (it.children ?? []) : []));
    for (const it of brought) if (!reached.has(it)) project.removeReflection(it);
  };
  // The other plugin does its work at 1e9, which is earlier.
  converter.on(Converter.EVENT_RESOLVE_BEGIN, leaveNamed, 1e8);
}

/** Adds to `reached` what one reflection holds, what its types name in `modules`, and what these name. */
function reach(it: Reflection, modules: readonly Reflection[], reached: Set<Reflection>): void {
  if (reached.has(it) || it.name.startsWith('#')) return;
  reached.add(it);
  const visitor = makeRecursiveVisitor({
    reflection: ({ declaration }) => reach(declaration, modules, reached),
    reference({ reflection }) {
      let named = reflection;
      while (named?.parent !== undefined && !modules.includes(named.parent)) named = named.parent;
      if (named?.parent !== undefined) reach(named, modules, reached);
    },
  });
  for (const type of typesOf(it)) type?.visit(visitor);
  it.traverse((child) => {
    reach(child, modules, reached);
  });
}

function typesOf(it: Reflection): (SomeType | undefined)[] {
  if (it.isDeclaration()) return [it.type, ...(it.extendedTypes ?? []), ...(it.implementedTypes ?? [])];
  if (it.isTypeParameter()) return [it.type, it.default];
  return it.isSignature() || it.isParameter() ? [it.type] : [];
}
