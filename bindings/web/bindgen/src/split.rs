//! Splits a module in two. The first part has everything that it needs to start, and a stub for each function of the
//! second part that it calls. The first stub that is called calls the import `loadPart`, which instantiates the second
//! part with the exports of the first: then the second part has put its functions into the table, where the stubs find
//! them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    Function, FunctionSection, GlobalSection, GlobalType, ImportSection, Module, TableSection, TableType,
    TypeSection, ValType,
};
use wasmparser::{
    CodeSectionReader, CompositeInnerType, CustomSectionReader, ElementItems, ElementKind,
    ExportSectionReader, ExternalKind, FunctionBody, FunctionSectionReader, GlobalSectionReader, MemoryType,
    Operator, Parser, Payload, TableSectionReader, TypeRef,
};

use crate::Names;
use crate::part::{self, Part};

type Result<T, E = Error> = std::result::Result<T, E>;

/// The imported function that loads the second part.
const LOAD: &str = "loadPart";

/// The number of indices that take one byte.
const ONE_BYTE: usize = 128;

/// The module that the second part imports from: the first one.
const FIRST: &str = "first";

/// The two parts. Functions that only those of the second part call go there, too.
pub(crate) fn split(module: &[u8], names: &Names) -> Result<[Vec<u8>; 2]> {
    let whole = Whole::read(module)?;
    let first = whole.first(|index| names.get(&index).map_or(Part::First, |name| part::of(name)));
    let plan = Plan::new(&whole, first);
    let mut out = Module::new();
    First { whole: &whole, plan: &plan }.parse_core_module(&mut out, Parser::new(0), module)?;
    Ok([out.finish(), second(&whole, &plan, module)?])
}

/// What the module has.
#[derive(Default)]
struct Whole<'a> {
    /// The number of parameters of each type.
    params: Vec<u32>,
    /// The number of imported functions.
    imports: u32,
    /// The import [`LOAD`].
    load: u32,
    /// The type of each function, imported ones too.
    types: Vec<u32>,
    bodies: Vec<FunctionBody<'a>>,
    /// For each function with a body, the functions that it calls.
    calls: Vec<BTreeSet<u32>>,
    exported: Vec<u32>,
    /// The places in the first table.
    places: BTreeMap<u32, u32>,
    tables: Vec<wasmparser::TableType>,
    memories: Vec<MemoryType>,
    globals: Vec<wasmparser::GlobalType>,
}

impl<'a> Whole<'a> {
    fn read(module: &'a [u8]) -> Result<Self> {
        let mut whole = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    for ty in
                        section.into_iter().flat_map(|group| group.map(|group| group.into_types())).flatten()
                    {
                        let CompositeInnerType::Func(ty) = &ty.composite_type.inner else { continue };
                        whole.params.push(ty.params().len() as u32);
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        let TypeRef::Func(ty) = import.ty else { continue };
                        if import.name == LOAD {
                            whole.load = whole.imports;
                        }
                        whole.imports += 1;
                        whole.types.push(ty);
                    }
                }
                Payload::FunctionSection(section) => {
                    for ty in section {
                        whole.types.push(ty?);
                    }
                }
                Payload::TableSection(section) => {
                    let types = section.into_iter().map(|table| Ok(table?.ty));
                    whole.tables = types.collect::<Result<_>>()?;
                }
                Payload::MemorySection(section) => {
                    whole.memories = section.into_iter().collect::<wasmparser::Result<_>>()?;
                }
                Payload::GlobalSection(section) => {
                    let types = section.into_iter().map(|global| Ok(global?.ty));
                    whole.globals = types.collect::<Result<_>>()?;
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        if export.kind == ExternalKind::Func {
                            whole.exported.push(export.index);
                        }
                    }
                }
                Payload::StartSection { func, .. } => whole.exported.push(func),
                Payload::ElementSection(section) => {
                    for element in section {
                        whole.element(element?)?;
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let mut calls = BTreeSet::new();
                    for operator in body.get_operators_reader()? {
                        if let Operator::Call { function_index } = operator? {
                            calls.insert(function_index);
                        }
                    }
                    whole.calls.push(calls);
                    whole.bodies.push(body);
                }
                _ => {}
            }
        }
        Ok(whole)
    }

    fn element(&mut self, element: wasmparser::Element<'_>) -> Result<()> {
        let ElementItems::Functions(functions) = element.items else { return Ok(()) };
        let ElementKind::Active { offset_expr, .. } = element.kind else { return Ok(()) };
        let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else { return Ok(()) };
        for (place, function) in (value as u32..).zip(functions) {
            self.places.insert(place, function?);
        }
        Ok(())
    }

    fn calls(&self, function: u32) -> impl Iterator<Item = u32> {
        let at = function.checked_sub(self.imports).map(|at| at as usize);
        at.into_iter().flat_map(|at| &self.calls[at]).copied()
    }

    /// Whether the first part has each function: those that belong there and that an export or the table needs, and those
    /// that they call.
    fn first(&self, part: impl Fn(u32) -> Part) -> Vec<bool> {
        let parts: Vec<Part> = (0..self.types.len() as u32).map(part).collect();
        let mut found = vec![false; parts.len()];
        found[..self.imports as usize].fill(true);
        let own =
            (0..).zip(&parts).filter(|(_, part)| **part == Part::Always).map(|(index, _)| (index, true));
        let placed = self.places.values().filter(|index| parts[**index as usize] == Part::First);
        // Those with all that they call come first.
        let mut open: Vec<(u32, bool)> =
            self.exported.iter().chain(placed).map(|index| (*index, false)).chain(own).collect();
        while let Some((function, all)) = open.pop() {
            let is_second = parts[function as usize] == Part::Second && !all;
            if !found[function as usize] && !is_second {
                found[function as usize] = true;
                open.extend(self.calls(function).map(|callee| (callee, all)));
            }
        }
        found
    }
}

/// Where each function is.
struct Plan {
    first: Vec<bool>,
    /// The index of each function, or of its stub, in the first part.
    indices: HashMap<u32, u32>,
    /// The place in the table of each stub.
    stubs: BTreeMap<u32, u32>,
    /// The new size of the table.
    size: u32,
    /// The functions of the first part that the second one calls. Those that most functions call come first, since their
    /// indices take the fewest bytes.
    shared: Vec<u32>,
}

impl Plan {
    fn new(whole: &Whole<'_>, first: Vec<bool>) -> Self {
        let is_first = |function: u32| first[function as usize];
        let mut size = whole.tables.first().map_or(0, |table| table.initial as u32);
        let mut stubs: BTreeMap<u32, u32> = whole
            .places
            .iter()
            .filter(|place| !is_first(*place.1))
            .map(|(place, index)| (*index, *place))
            .collect();
        let all = 0..whole.types.len() as u32;
        let called = all.clone().filter(|&caller| is_first(caller)).flat_map(|caller| whole.calls(caller));
        for callee in called.chain(whole.exported.iter().copied()).filter(|&callee| !is_first(callee)) {
            stubs.entry(callee).or_insert_with(|| {
                size += 1;
                size - 1
            });
        }
        let calls = all.clone().filter(|&caller| !is_first(caller)).flat_map(|caller| whole.calls(caller));
        let mut callers: BTreeMap<u32, usize> = BTreeMap::new();
        calls.filter(|&callee| is_first(callee)).for_each(|callee| *callers.entry(callee).or_default() += 1);
        let mut shared: Vec<u32> = callers.keys().copied().collect();
        shared.sort_by_key(|callee| std::cmp::Reverse(callers[callee]));
        // The others are in their own order, which gzip knows to compress.
        shared.get_mut(ONE_BYTE..).unwrap_or_default().sort_unstable();
        let kept = all.filter(|index| is_first(*index) || stubs.contains_key(index));
        let indices = kept.zip(0..).collect();
        Self { first, indices, stubs, size, shared }
    }

    /// The type of a table, with places for the stubs if it is the first one.
    fn table(&self, index: usize, mut ty: TableType) -> TableType {
        if index == 0 {
            ty.minimum = u64::from(self.size);
            ty.maximum = ty.maximum.map(|maximum| maximum.max(ty.minimum));
        }
        ty
    }

    /// The functions with bodies that the first part has: their own, or a stub.
    fn kept<T>(&self, imports: u32, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = (u32, T)> {
        (imports..).zip(all).filter(|(index, _)| self.indices.contains_key(index))
    }
}

struct First<'a> {
    whole: &'a Whole<'a>,
    plan: &'a Plan,
}

impl First<'_> {
    /// The global that says whether the second part is there.
    fn loaded(&self) -> u32 {
        self.whole.globals.len() as u32
    }

    /// The function that loads the second part unless it is there. It has the type of `loadPart`.
    fn ensure(&self) -> u32 {
        self.plan.indices.len() as u32
    }
}

impl Reencode for First<'_> {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32> {
        Ok(self.plan.indices[&index])
    }

    fn parse_function_section(
        &mut self,
        to: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<()> {
        for (_, ty) in self.plan.kept(self.whole.imports, section) {
            to.function(ty?);
        }
        to.function(self.whole.types[self.whole.load as usize]);
        Ok(())
    }

    fn parse_table_section(&mut self, to: &mut TableSection, section: TableSectionReader<'_>) -> Result<()> {
        for (index, table) in section.into_iter().enumerate() {
            let ty = self.table_type(table?.ty)?;
            to.table(self.plan.table(index, ty));
        }
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        to: &mut GlobalSection,
        section: GlobalSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_global_section(self, to, section)?;
        to.global(
            GlobalType { val_type: ValType::I32, mutable: true, shared: false },
            &ConstExpr::i32_const(0),
        );
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        to: &mut ExportSection,
        section: ExportSectionReader<'_>,
    ) -> Result<()> {
        utils::parse_export_section(self, to, section)?;
        for index in 0..self.whole.memories.len() as u32 {
            to.export(&format!("m{index}"), ExportKind::Memory, index);
        }
        for index in 0..self.whole.tables.len() as u32 {
            to.export(&format!("t{index}"), ExportKind::Table, index);
        }
        for index in 0..self.whole.globals.len() as u32 {
            to.export(&format!("g{index}"), ExportKind::Global, index);
        }
        for (at, index) in self.plan.shared.iter().enumerate() {
            to.export(&format!("f{at}"), ExportKind::Func, self.plan.indices[index]);
        }
        Ok(())
    }

    fn parse_code_section(&mut self, to: &mut CodeSection, section: CodeSectionReader<'_>) -> Result<()> {
        let (whole, plan) = (self.whole, self.plan);
        for (index, body) in plan.kept(whole.imports, section) {
            let Some(place) = plan.stubs.get(&index) else {
                self.parse_function_body(to, body?)?;
                continue;
            };
            let ty = whole.types[index as usize];
            let mut stub = Function::new([]);
            let mut code = stub.instructions();
            code.call(self.ensure());
            for param in 0..whole.params[ty as usize] {
                code.local_get(param);
            }
            code.i32_const(*place as i32).call_indirect(0, ty).end();
            to.function(&stub);
        }
        let mut ensure = Function::new([]);
        let mut code = ensure.instructions();
        code.global_get(self.loaded()).i32_eqz().if_(BlockType::Empty).call(whole.load);
        code.i32_const(1).global_set(self.loaded()).end().end();
        to.function(&ensure);
        Ok(())
    }

    fn parse_custom_section(&mut self, to: &mut Module, section: CustomSectionReader<'_>) -> Result<()> {
        if section.name() == "name" { Ok(()) } else { utils::parse_custom_section(self, to, section) }
    }
}

/// The second part. It imports memories, tables, globals and functions from the first one.
fn second(whole: &Whole<'_>, plan: &Plan, module: &[u8]) -> Result<Vec<u8>> {
    let own = |index: &u32| !plan.first[*index as usize];
    let all = 0..whole.types.len() as u32;
    let order = plan.shared.iter().copied().chain(all.clone().filter(own));
    let mut second = Second { indices: order.zip(0..).collect() };

    let mut types = TypeSection::new();
    let mut imports = ImportSection::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::TypeSection(section) = payload? {
            second.parse_type_section(&mut types, section)?;
        }
    }
    for (index, ty) in whole.memories.iter().enumerate() {
        imports.import(FIRST, &format!("m{index}"), EntityType::Memory(second.memory_type(*ty)?));
    }
    for (index, ty) in whole.tables.iter().enumerate() {
        let ty = second.table_type(*ty)?;
        imports.import(FIRST, &format!("t{index}"), EntityType::Table(plan.table(index, ty)));
    }
    for (index, ty) in whole.globals.iter().enumerate() {
        imports.import(FIRST, &format!("g{index}"), EntityType::Global(second.global_type(*ty)?));
    }
    for (at, index) in plan.shared.iter().enumerate() {
        imports.import(FIRST, &format!("f{at}"), EntityType::Function(whole.types[*index as usize]));
    }
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    for index in all.filter(own) {
        functions.function(whole.types[index as usize]);
        second.parse_function_body(&mut code, whole.bodies[(index - whole.imports) as usize].clone())?;
    }
    // Functions that have several places in the table, and stubs that have a place for themselves.
    let mut places: BTreeMap<u32, u32> =
        whole.places.iter().filter(|(_, index)| own(index)).map(|(place, index)| (*place, *index)).collect();
    places.extend(plan.stubs.iter().map(|(index, place)| (*place, *index)));
    let mut elements = ElementSection::new();
    let mut places = places.into_iter().peekable();
    while let Some((start, index)) = places.next() {
        let mut run = vec![second.indices[&index]];
        while let Some((_, index)) = places.next_if(|(place, _)| *place == start + run.len() as u32) {
            run.push(second.indices[&index]);
        }
        elements.active(None, &ConstExpr::i32_const(start as i32), Elements::Functions(run.into()));
    }
    let mut out = Module::new();
    out.section(&types).section(&imports).section(&functions).section(&elements).section(&code);
    Ok(out.finish())
}

struct Second {
    indices: HashMap<u32, u32>,
}

impl Reencode for Second {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32> {
        Ok(self.indices[&index])
    }
}
