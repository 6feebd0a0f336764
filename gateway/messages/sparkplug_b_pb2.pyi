from collections.abc import Iterable as _Iterable
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar

from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from google.protobuf.internal import containers as _containers

DESCRIPTOR: _descriptor.FileDescriptor

class Payload(_message.Message):
    __slots__ = ("body", "metrics", "seq", "timestamp", "uuid")
    class PropertyValue(_message.Message):
        __slots__ = (
            "boolean_value",
            "double_value",
            "float_value",
            "int_value",
            "is_null",
            "long_value",
            "propertyset_value",
            "propertysets_value",
            "string_value",
            "type",
        )
        TYPE_FIELD_NUMBER: _ClassVar[int]
        IS_NULL_FIELD_NUMBER: _ClassVar[int]
        INT_VALUE_FIELD_NUMBER: _ClassVar[int]
        LONG_VALUE_FIELD_NUMBER: _ClassVar[int]
        FLOAT_VALUE_FIELD_NUMBER: _ClassVar[int]
        DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
        BOOLEAN_VALUE_FIELD_NUMBER: _ClassVar[int]
        STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
        PROPERTYSET_VALUE_FIELD_NUMBER: _ClassVar[int]
        PROPERTYSETS_VALUE_FIELD_NUMBER: _ClassVar[int]
        type: int
        is_null: bool
        int_value: int
        long_value: int
        float_value: float
        double_value: float
        boolean_value: bool
        string_value: str
        propertyset_value: Payload.PropertySet
        propertysets_value: Payload.PropertySetList
        def __init__(
            self,
            type: int | None = ...,
            is_null: bool | None = ...,
            int_value: int | None = ...,
            long_value: int | None = ...,
            float_value: float | None = ...,
            double_value: float | None = ...,
            boolean_value: bool | None = ...,
            string_value: str | None = ...,
            propertyset_value: Payload.PropertySet | _Mapping | None = ...,
            propertysets_value: Payload.PropertySetList | _Mapping | None = ...,
        ) -> None: ...

    class PropertySet(_message.Message):
        __slots__ = ("keys", "values")
        KEYS_FIELD_NUMBER: _ClassVar[int]
        VALUES_FIELD_NUMBER: _ClassVar[int]
        keys: _containers.RepeatedScalarFieldContainer[str]
        values: _containers.RepeatedCompositeFieldContainer[Payload.PropertyValue]
        def __init__(
            self,
            keys: _Iterable[str] | None = ...,
            values: _Iterable[Payload.PropertyValue | _Mapping] | None = ...,
        ) -> None: ...

    class PropertySetList(_message.Message):
        __slots__ = ("propertyset",)
        PROPERTYSET_FIELD_NUMBER: _ClassVar[int]
        propertyset: _containers.RepeatedCompositeFieldContainer[Payload.PropertySet]
        def __init__(
            self, propertyset: _Iterable[Payload.PropertySet | _Mapping] | None = ...
        ) -> None: ...

    class MetaData(_message.Message):
        __slots__ = (
            "content_type",
            "description",
            "file_name",
            "file_type",
            "is_multi_part",
            "md5",
            "seq",
            "size",
        )
        IS_MULTI_PART_FIELD_NUMBER: _ClassVar[int]
        CONTENT_TYPE_FIELD_NUMBER: _ClassVar[int]
        SIZE_FIELD_NUMBER: _ClassVar[int]
        SEQ_FIELD_NUMBER: _ClassVar[int]
        FILE_NAME_FIELD_NUMBER: _ClassVar[int]
        FILE_TYPE_FIELD_NUMBER: _ClassVar[int]
        MD5_FIELD_NUMBER: _ClassVar[int]
        DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
        is_multi_part: bool
        content_type: str
        size: int
        seq: int
        file_name: str
        file_type: str
        md5: str
        description: str
        def __init__(
            self,
            is_multi_part: bool | None = ...,
            content_type: str | None = ...,
            size: int | None = ...,
            seq: int | None = ...,
            file_name: str | None = ...,
            file_type: str | None = ...,
            md5: str | None = ...,
            description: str | None = ...,
        ) -> None: ...

    class DataSet(_message.Message):
        __slots__ = ("columns", "num_of_columns", "rows", "types")
        class DataSetValue(_message.Message):
            __slots__ = (
                "boolean_value",
                "double_value",
                "float_value",
                "int_value",
                "long_value",
                "string_value",
            )
            INT_VALUE_FIELD_NUMBER: _ClassVar[int]
            LONG_VALUE_FIELD_NUMBER: _ClassVar[int]
            FLOAT_VALUE_FIELD_NUMBER: _ClassVar[int]
            DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
            BOOLEAN_VALUE_FIELD_NUMBER: _ClassVar[int]
            STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
            int_value: int
            long_value: int
            float_value: float
            double_value: float
            boolean_value: bool
            string_value: str
            def __init__(
                self,
                int_value: int | None = ...,
                long_value: int | None = ...,
                float_value: float | None = ...,
                double_value: float | None = ...,
                boolean_value: bool | None = ...,
                string_value: str | None = ...,
            ) -> None: ...

        class Row(_message.Message):
            __slots__ = ("elements",)
            ELEMENTS_FIELD_NUMBER: _ClassVar[int]
            elements: _containers.RepeatedCompositeFieldContainer[Payload.DataSet.DataSetValue]
            def __init__(
                self, elements: _Iterable[Payload.DataSet.DataSetValue | _Mapping] | None = ...
            ) -> None: ...

        NUM_OF_COLUMNS_FIELD_NUMBER: _ClassVar[int]
        COLUMNS_FIELD_NUMBER: _ClassVar[int]
        TYPES_FIELD_NUMBER: _ClassVar[int]
        ROWS_FIELD_NUMBER: _ClassVar[int]
        num_of_columns: int
        columns: _containers.RepeatedScalarFieldContainer[str]
        types: _containers.RepeatedScalarFieldContainer[int]
        rows: _containers.RepeatedCompositeFieldContainer[Payload.DataSet.Row]
        def __init__(
            self,
            num_of_columns: int | None = ...,
            columns: _Iterable[str] | None = ...,
            types: _Iterable[int] | None = ...,
            rows: _Iterable[Payload.DataSet.Row | _Mapping] | None = ...,
        ) -> None: ...

    class Template(_message.Message):
        __slots__ = ("is_definition", "metrics", "parameters", "template_ref", "version")
        class Parameter(_message.Message):
            __slots__ = (
                "boolean_value",
                "double_value",
                "float_value",
                "int_value",
                "long_value",
                "name",
                "string_value",
                "type",
            )
            NAME_FIELD_NUMBER: _ClassVar[int]
            TYPE_FIELD_NUMBER: _ClassVar[int]
            INT_VALUE_FIELD_NUMBER: _ClassVar[int]
            LONG_VALUE_FIELD_NUMBER: _ClassVar[int]
            FLOAT_VALUE_FIELD_NUMBER: _ClassVar[int]
            DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
            BOOLEAN_VALUE_FIELD_NUMBER: _ClassVar[int]
            STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
            name: str
            type: int
            int_value: int
            long_value: int
            float_value: float
            double_value: float
            boolean_value: bool
            string_value: str
            def __init__(
                self,
                name: str | None = ...,
                type: int | None = ...,
                int_value: int | None = ...,
                long_value: int | None = ...,
                float_value: float | None = ...,
                double_value: float | None = ...,
                boolean_value: bool | None = ...,
                string_value: str | None = ...,
            ) -> None: ...

        VERSION_FIELD_NUMBER: _ClassVar[int]
        METRICS_FIELD_NUMBER: _ClassVar[int]
        PARAMETERS_FIELD_NUMBER: _ClassVar[int]
        TEMPLATE_REF_FIELD_NUMBER: _ClassVar[int]
        IS_DEFINITION_FIELD_NUMBER: _ClassVar[int]
        version: str
        metrics: _containers.RepeatedCompositeFieldContainer[Payload.Metric]
        parameters: _containers.RepeatedCompositeFieldContainer[Payload.Template.Parameter]
        template_ref: str
        is_definition: bool
        def __init__(
            self,
            version: str | None = ...,
            metrics: _Iterable[Payload.Metric | _Mapping] | None = ...,
            parameters: _Iterable[Payload.Template.Parameter | _Mapping] | None = ...,
            template_ref: str | None = ...,
            is_definition: bool | None = ...,
        ) -> None: ...

    class Metric(_message.Message):
        __slots__ = (
            "alias",
            "boolean_value",
            "bytes_value",
            "dataset_value",
            "datatype",
            "double_value",
            "float_value",
            "int_value",
            "is_historical",
            "is_null",
            "is_transient",
            "long_value",
            "metadata",
            "name",
            "properties",
            "string_value",
            "template_value",
            "timestamp",
        )
        NAME_FIELD_NUMBER: _ClassVar[int]
        ALIAS_FIELD_NUMBER: _ClassVar[int]
        TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
        DATATYPE_FIELD_NUMBER: _ClassVar[int]
        IS_HISTORICAL_FIELD_NUMBER: _ClassVar[int]
        IS_TRANSIENT_FIELD_NUMBER: _ClassVar[int]
        IS_NULL_FIELD_NUMBER: _ClassVar[int]
        METADATA_FIELD_NUMBER: _ClassVar[int]
        PROPERTIES_FIELD_NUMBER: _ClassVar[int]
        INT_VALUE_FIELD_NUMBER: _ClassVar[int]
        LONG_VALUE_FIELD_NUMBER: _ClassVar[int]
        FLOAT_VALUE_FIELD_NUMBER: _ClassVar[int]
        DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
        BOOLEAN_VALUE_FIELD_NUMBER: _ClassVar[int]
        STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
        BYTES_VALUE_FIELD_NUMBER: _ClassVar[int]
        DATASET_VALUE_FIELD_NUMBER: _ClassVar[int]
        TEMPLATE_VALUE_FIELD_NUMBER: _ClassVar[int]
        name: str
        alias: int
        timestamp: int
        datatype: int
        is_historical: bool
        is_transient: bool
        is_null: bool
        metadata: Payload.MetaData
        properties: Payload.PropertySet
        int_value: int
        long_value: int
        float_value: float
        double_value: float
        boolean_value: bool
        string_value: str
        bytes_value: bytes
        dataset_value: Payload.DataSet
        template_value: Payload.Template
        def __init__(
            self,
            name: str | None = ...,
            alias: int | None = ...,
            timestamp: int | None = ...,
            datatype: int | None = ...,
            is_historical: bool | None = ...,
            is_transient: bool | None = ...,
            is_null: bool | None = ...,
            metadata: Payload.MetaData | _Mapping | None = ...,
            properties: Payload.PropertySet | _Mapping | None = ...,
            int_value: int | None = ...,
            long_value: int | None = ...,
            float_value: float | None = ...,
            double_value: float | None = ...,
            boolean_value: bool | None = ...,
            string_value: str | None = ...,
            bytes_value: bytes | None = ...,
            dataset_value: Payload.DataSet | _Mapping | None = ...,
            template_value: Payload.Template | _Mapping | None = ...,
        ) -> None: ...

    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    SEQ_FIELD_NUMBER: _ClassVar[int]
    UUID_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    timestamp: int
    metrics: _containers.RepeatedCompositeFieldContainer[Payload.Metric]
    seq: int
    uuid: str
    body: bytes
    def __init__(
        self,
        timestamp: int | None = ...,
        metrics: _Iterable[Payload.Metric | _Mapping] | None = ...,
        seq: int | None = ...,
        uuid: str | None = ...,
        body: bytes | None = ...,
    ) -> None: ...
