//! A property of every type as Studio writes it. Lines begin at the left here; the fixture indents
//! them.

/// Every type, in the order of names that Studio keeps.
pub(super) const EVERY_TYPE: &str = r#"<Axes name="Axes">
	<axes>5</axes>
</Axes>
<BinaryString name="BinaryLong"><![CDATA[AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1
Njc4OTo7PD0+P0A=]]></BinaryString>
<BinaryString name="BinaryNone"></BinaryString>
<BinaryString name="BinaryShort">Um9qbyBpcyBjb29sIQ==</BinaryString>
<BrickColor name="BrickColor">194</BrickColor>
<CoordinateFrame name="CFrame">
	<X>-14</X>
	<Y>15.5</Y>
	<Z>0.100000001</Z>
	<R00>1</R00>
	<R01>-0</R01>
	<R02>0</R02>
	<R10>0</R10>
	<R11>-4.37113883e-08</R11>
	<R12>-1</R12>
	<R20>0</R20>
	<R21>1</R21>
	<R22>INF</R22>
</CoordinateFrame>
<Color3 name="Color3">
	<R>INF</R>
	<G>1337</G>
	<B>0.15625</B>
</Color3>
<Color3uint8 name="Color3uint8">4284497952</Color3uint8>
<ColorSequence name="ColorSequence">0 0.376471 0.25098 0.12549 0 1 0.0196078 0.0392157 0.0588235 0 </ColorSequence>
<Content name="ContentNone">
	<null></null>
</Content>
<Content name="ContentObject">
	<Ref>RBX00112233445566778899AABBCCDDEEFF</Ref>
</Content>
<Content name="ContentUri">
	<uri>rbxasset://textures/SpawnLocation.png</uri>
</Content>
<Content name="ContentIdNone"><null></null></Content>
<Content name="ContentIdUrl"><url>rbxasset://textures/face.png</url></Content>
<PhysicalProperties name="CustomPhysicalProperties">
	<CustomPhysics>true</CustomPhysics>
	<Density>1</Density>
	<Friction>2</Friction>
	<Elasticity>3</Elasticity>
	<FrictionWeight>0.15625</FrictionWeight>
	<ElasticityWeight>1.25</ElasticityWeight>
	<AcousticAbsorption>0.5</AcousticAbsorption>
</PhysicalProperties>
<Faces name="Faces">
	<faces>42</faces>
</Faces>
<Font name="Font">
	<Family><url>rbxasset://fonts/families/Arial.json</url></Family>
	<Weight>700</Weight>
	<Style>Italic</Style>
	<CachedFaceId><url>rbxasset://fonts/Arimo-Regular.ttf</url></CachedFaceId>
</Font>
<string name="Name">&lt;a &amp; b&gt; &quot;c&quot; &apos;d&apos; é	e
f&#13;</string>
<NetAssetRef name="NetAssetRef">yuZpQdnvvUBOTYh1jqZ2cA==</NetAssetRef>
<NumberRange name="NumberRange">0.15625 1337 </NumberRange>
<NumberSequence name="NumberSequence">0 6 3 1 4 2 </NumberSequence>
<OptionalCoordinateFrame name="OptionalNone"></OptionalCoordinateFrame>
<OptionalCoordinateFrame name="OptionalSome">
	<CFrame>
		<X>0</X>
		<Y>0</Y>
		<Z>0</Z>
		<R00>1</R00>
		<R01>0</R01>
		<R02>0</R02>
		<R10>0</R10>
		<R11>1</R11>
		<R12>0</R12>
		<R20>0</R20>
		<R21>0</R21>
		<R22>1</R22>
	</CFrame>
</OptionalCoordinateFrame>
<PhysicalProperties name="PhysicalNone">
	<CustomPhysics>false</CustomPhysics>
</PhysicalProperties>
<Ray name="Ray">
	<origin>
		<X>1</X>
		<Y>2</Y>
		<Z>3</Z>
	</origin>
	<direction>
		<X>-1</X>
		<Y>-2</Y>
		<Z>-3</Z>
	</direction>
</Ray>
<Rect2D name="Rect">
	<min>
		<X>1</X>
		<Y>2</Y>
	</min>
	<max>
		<X>3</X>
		<Y>4</Y>
	</max>
</Rect2D>
<Ref name="RefNone">null</Ref>
<Ref name="RefSome">RBX00112233445566778899AABBCCDDEEFF</Ref>
<SecurityCapabilities name="SecurityCapabilities">2882400000</SecurityCapabilities>
<SharedString name="SharedString">yuZpQdnvvUBOTYh1jqZ2cA==</SharedString>
<ProtectedString name="Source"><![CDATA[print("]]]]><![CDATA[>")
	return 1 < 2 and 'x']]></ProtectedString>
<ProtectedString name="SourceNone"></ProtectedString>
<UDim name="UDim">
	<S>0.15625</S>
	<O>1337</O>
</UDim>
<UDim2 name="UDim2">
	<XS>0.15625</XS>
	<XO>1337</XO>
	<YS>-123</YS>
	<YO>456</YO>
</UDim2>
<UniqueId name="UniqueId">44b188dace632b4702e9c68d004815fc</UniqueId>
<Vector2 name="Vector2">
	<X>INF</X>
	<Y>1337</Y>
</Vector2>
<Vector2int16 name="Vector2int16">
	<X>-32768</X>
	<Y>32767</Y>
</Vector2int16>
<Vector3 name="Vector3">
	<X>-INF</X>
	<Y>NAN</Y>
	<Z>-1337</Z>
</Vector3>
<Vector3int16 name="Vector3int16">
	<X>1337</X>
	<Y>0</Y>
	<Z>-1337</Z>
</Vector3int16>
<bool name="bool">true</bool>
<double name="double">0.10000000000000001</double>
<float name="float">2.98023224e-08</float>
<int name="int">-2147483648</int>
<int64 name="int64">-9223372036854775808</int64>
<token name="token">3</token>
<Baloney name="unknown">
	I <b>really</b> hope &amp; <![CDATA[<so>]]>
</Baloney>"#;

/// What other writers, and older ones, make of the same: one line each.
pub(super) const ODD: &[&str] = &[
    r#"<int name="a"> 5 </int>"#,
    r#"<bool name="b">True</bool>"#,
    r#"<token name="c">-1</token>"#,
    r#"<token name="c2">4294967295</token>"#,
    r#"<Vector3 name="d"><Z>3</Z><Y>2</Y><X>1</X></Vector3>"#,
    r#"<Content name="e"><Ref>null</Ref></Content>"#,
    r#"<Content name="f"><hash>0123</hash></Content>"#,
    r#"<Content name="g"><binary>AAAA</binary></Content>"#,
    r#"<ContentId name="h"><url>rbxasset://x</url></ContentId>"#,
    r#"<Content name="h2">rbxasset://x</Content>"#,
    r#"<Color3 name="i">4288914085</Color3>"#,
    r#"<Color3uint8 name="j"><R>163</R><G>162</G><B>165</B></Color3uint8>"#,
    r#"<Color3uint8 name="k">10723237</Color3uint8>"#,
    r#"<Font name="l"></Font>"#,
    r#"<float name="m">2.98023224e-008</float>"#,
    r#"<float name="n">-1.#IND</float>"#,
    r#"<float name="o">+INF</float>"#,
    r#"<double name="p">0.10000000000000000555</double>"#,
    r#"<Ref name="q">nil</Ref>"#,
    r#"<Ref name="r"></Ref>"#,
    r#"<string name="s">function()&#13;&#10;&#9;end</string>"#,
    r#"<ProtectedString name="t">print(&quot;hi&quot;)</ProtectedString>"#,
    r#"<string name="u"><![CDATA[one]]> and <!-- no --><![CDATA[two]]></string>"#,
    r#"<BinaryString name="v"> Um9qbyBp cyBjb29sIQ </BinaryString>"#,
    r#"<UniqueId name="w">44B188DACE632B4702E9C68D004815FC</UniqueId>"#,
    r#"<float name='x' other="kept">.5</float>"#,
    r#"<int name="twice">1</int>"#,
    r#"<int name="twice">2</int>"#,
    r#"<string>no name</string>"#,
    r#"<OptionalCoordinateFrame name="y"/>"#,
    r#"<PhysicalProperties name="z"><CustomPhysics>TRUE</CustomPhysics><ElasticityWeight>5</ElasticityWeight><FrictionWeight>4</FrictionWeight><Elasticity>3</Elasticity><Friction>2</Friction><Density>1</Density></PhysicalProperties>"#,
];
